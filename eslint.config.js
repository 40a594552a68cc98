import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

const pureSources = ['packages/*/src/**/*.ts']
const shellPlaces = [
  ...['node', 'cli', 'testing', 'embedding', 'engine', 'sqlite', 'postgres'].map((name) => `packages/*/src/${name}/**`),
  'packages/*/src/**/*.{sqlite,postgres}.ts',
]

// Time, ids and randomness are arguments: what reads them from its surroundings cannot be tested or replayed.
const readsItsSurroundings = [
  ['CallExpression[callee.object.name="Date"][callee.property.name="now"]', 'Take the instant as an argument.'],
  ['NewExpression[callee.name="Date"][arguments.length=0]', 'Take the instant as an argument.'],
  ['CallExpression[callee.name="Date"]', 'Take the instant as an argument.'],
  ['CallExpression[callee.object.name="Math"][callee.property.name="random"]', 'Take the randomness as an argument.'],
  ['MemberExpression[property.name=/^(randomUUID|getRandomValues)$/]', 'Take ids and random bytes as arguments.'],
].map(([selector, message]) => ({ selector, message }))

const publicSurface = [
  {
    selector: 'ExportAllDeclaration',
    message: 'Name what is exported: the public surface is written down, not inherited.',
  },
  {
    selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]',
    message: 'A type forced over unknown hides a mistake: parse, or narrow.',
  },
]

// Written by itself, a misspelt name of an option is an error of TypeScript. In a spread literal it is none.
const membersByThemselves = [
  { selector: 'SpreadElement > ObjectExpression', message: 'Write the members by themselves, without `...{ }`.' },
  { selector: 'JSXSpreadAttribute > ObjectExpression', message: 'Write the attributes by themselves.' },
]

const smallBundles = [
  {
    selector: 'ImportDeclaration[source.value="zod"] > ImportSpecifier[imported.name="z"]',
    message: 'Use `import * as z`: a bundle then leaves out the locales of zod.',
  },
]

// Vitest reaches for these between any two steps of a test, also after it: `process.nextTick` a tick after each report.
const neededByTheRunner = [
  {
    selector:
      'CallExpression[callee.object.name="vi"][callee.property.name="stubGlobal"][arguments.0.value=/^(process|Buffer|setTimeout|clearTimeout|setImmediate|clearImmediate|queueMicrotask|Promise|Date|performance|Map|Set)$/]',
    message: 'Another runtime is a process of its own: the test runner needs the globals of this one.',
  },
]

export default defineConfig(
  globalIgnores([
    ...['**/dist/', '**/coverage/', '**/data/', 'bench/results/', 'proof/results/', '**/fixtures/'],
    // The build, which runs beside this check, writes and removes these: a listed file would be gone when it is read.
    '**/tsup.config.bundled_*',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    plugins: { regexp },
    rules: {
      // Super-linear time on a partner's input is a denial of service.
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
      'regexp/no-contradiction-with-assertion': 'error',
      'regexp/no-empty-alternative': 'error',
      'regexp/no-empty-capturing-group': 'error',
      'regexp/no-lazy-ends': 'error',
      'regexp/no-misleading-unicode-character': 'error',
      'regexp/no-optional-assertion': 'error',
      'regexp/no-potentially-useless-backreference': 'error',
      'regexp/no-useless-assertions': 'error',
      'regexp/strict': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': ['error', ...membersByThemselves],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      // Ports and stores are objects of closures made by create…: none of their methods reads `this`.
      '@typescript-eslint/unbound-method': 'off',
      // Ports are asynchronous; an implementation that answers at once still keeps their shape.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // Tests read answers of servers and stores as they come: an expectation checks what a type would claim.
    files: ['**/test/**/*.{ts,tsx}', '**/*.test.ts'],
    rules: {
      // Express, Koa and listeners take asynchronous callbacks where their types say nothing is returned.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': ['error', ...membersByThemselves, ...neededByTheRunner],
    },
  },
  {
    // Nobody's input reaches these.
    files: ['**/test/**', '**/*.test.ts', 'packages/*/src/testing/**', 'scripts/**', 'bench/**', 'proof/**'],
    rules: { 'regexp/no-super-linear-move': 'off' },
  },
  {
    // tsconfig.json does not compile JavaScript: scripts are linted without types.
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'URL', 'Buffer', 'performance', 'fetch', 'setTimeout', 'clearTimeout', 'AbortSignal']
          .concat([
            'TextEncoder',
            'TextDecoder',
            'Headers',
            'Request',
            'Response',
            'crypto',
            'structuredClone',
            'setImmediate',
          ])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { require: 'readonly', module: 'writable', __dirname: 'readonly' },
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': ['error', ...membersByThemselves, ...publicSurface, ...smallBundles],
      'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: pureSources, ignores: shellPlaces, rules: { 'no-console': 'error' } },
  {
    files: pureSources,
    ignores: shellPlaces,
    rules: {
      'no-restricted-syntax': [
        'error',
        ...membersByThemselves,
        ...publicSurface,
        ...smallBundles,
        ...readsItsSurroundings,
      ],
    },
  },
)
