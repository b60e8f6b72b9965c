import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', '**/dist', '.local', 'client/src/contract.ts', '*.js', '**/*.cjs', '*.mjs', '.*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'max-len': ['error', { code: 1000, comments: 120, ignoreUrls: true }], // prettier wraps code, not comments
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, varsIgnorePattern: '^_' }],
      // A reader of untyped data says once, at its call, what shape the caller relies on.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read in shared/config.ts only.' },
        { object: 'Date', property: 'now', message: 'Time comes from shared/platform/clock.ts.' },
        { object: 'Math', property: 'random', message: 'Randomness comes from shared/platform/random.ts.' },
      ],
    },
  },
  { files: ['shared/config.ts', 'test/**'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: [
      'shared/platform/clock.ts',
      'shared/platform/random.ts',
      'client/src/http/platform.ts',
      'client/src/command/main.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['test/**'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
);
