const { TestEnvironment } = require('jest-environment-node');

/** Passes over all tests behind the first that fails: it has caught the mutant. */
module.exports = class extends TestEnvironment {
  hasFailed = false;

  async handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.hasFailed = true;
    if (event.name === 'test_start' && this.hasFailed) event.test.mode = 'skip';
  }
};
