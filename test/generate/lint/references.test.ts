import { expect, test } from 'vitest'
import { referenceFaults } from '../../../src/generate/lint/references.ts'
import { variableFaults } from '../../../src/generate/lint/variables.ts'

const files = (entries: Record<string, string>) => new Map(Object.entries(entries))

test('finds variables that are unused, undocumented or read elsewhere', () => {
  const code = files({
    'src/environment.ts': 'process.env[name]; const rows = { MEDIAPROC_CACHE: 1, PORT: 2 }',
    'src/errors.ts': "hint: 'MEDIAPROC_FEATURES names them'",
    'src/server/config.ts': "environmentNumber('PORT'); process.env.STORAGE_MODE",
    'src/media/x.ts': "import { env } from 'node:process'",
    'src/pool/child.ts': 'childEnvironment(process.env)',
    'src/cli/input/config.ts': "name.startsWith('MEDIAPROC_') // MEDIAPROC_* are ours",
    'src/generate/page.ts': "'MEDIAPROC_CACHE'",
  })
  const exceptions = { 'src/pool/child.ts': 'hands it on', 'src/pool/gone.ts': 'was one' }
  expect(variableFaults(code, ['MEDIAPROC_CACHE', 'PORT'], exceptions)).toEqual([
    'src/environment.ts: MEDIAPROC_CACHE is documented, but not read',
    'src/errors.ts: MEDIAPROC_FEATURES is not documented in src/environment.ts',
    'src/server/config.ts: only src/environment.ts reads process.env',
    'src/media/x.ts: only src/environment.ts reads process.env',
    'src/pool/gone.ts: need be no exception, it does not touch process.env',
  ])
})

test('finds broken links and page names', () => {
  const there = ['docs/pipelines.md', 'README.md', 'docs/tools/a.png', 'docs/tools']
  const exists = (path: string) => there.includes(path)
  // In parts: the lint also reads the comments of this file.
  const lost = 'decisions.md'
  const code = files({
    'src/a.ts': [
      '/** See docs/pipelines.md and docs/samples.md. */',
      `const made = \`docs/tools/\${section}/x.md\` + "nobody.md" // (${lost}, section 3)`,
      ' * Writes docs/tools/<section>/README.md and https://example.org/far.md',
    ].join('\n'),
  })
  const pages = files({
    'docs/tools/README.md': [
      '[in](../pipelines.md#top), [up](../..), ![a](a.png), [out](https://example.org/x.md), [here](#x)',
      '[lost](../lost.md#x) and ![gone](b.png "title") and gone.md; `pipelines.md` is there',
      '```sh\ncat elsewhere.md\n```',
      'Makes `made.md`.',
    ].join('\n'),
  })
  expect(referenceFaults(code, pages, (path) => exists(path) || path === '.')).toEqual([
    'src/a.ts: there is no docs/samples.md',
    'src/a.ts: there is no decisions.md',
    'docs/tools/README.md: the link to ../lost.md leads nowhere',
    'docs/tools/README.md: the link to b.png leads nowhere',
    'docs/tools/README.md: there is no gone.md',
  ])
})
