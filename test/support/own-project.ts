/** Gives each test file a project of its own. */
import { takeNewProject } from './new-project';

takeNewProject();
