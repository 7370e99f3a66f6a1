/** Every command of the README and of the pages in docs/ runs in a shell as pasted. */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'vitest'
import { page, ROOT, usePastedLines } from '../../helpers/pasted.ts'

/** Commands that need the network, models, a server or a browser, by the start of the line. */
const ELSEWHERE = [
  'apt-get ',
  'claude mcp ',
  'curl ',
  'mediaproc engines export',
  'mediaproc engines import',
  'mediaproc engines install',
  'mediaproc engines remove',
  'mediaproc image html-to-image --url https://example.com',
  'mediaproc mcp ',
  'mediaproc models ',
  'mediaproc open ',
  'mediaproc serve ',
  'npm ',
  'npx ',
]
/** Pages about installing models or running a server. */
const OTHER_PAGES = ['models.md', 'scale-out.md', 'serve.md', 'sign-in.md']

const shell = usePastedLines()

/** The shell lines of a page's code blocks, including continuation lines. */
const linesOf = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  )

const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The files that a page shows, by the names in their first lines. */
const shownFiles = (path: string): [string, string][] =>
  [...page(path).matchAll(/^```(?:yaml|js)\n([\s\S]*?)^```$/gm)].flatMap(([, block]): [string, string][] => {
    const name = /^(?:#|\/\/) ((?:[\w-]+\/)*[\w.-]+\.(?:yaml|mjs))\b/m.exec(block!)?.[1]
    return name === undefined ? [] : [[name, block!]]
  })

/** Plugins and configurations, which lines use without their names. */
const isOwn = (name: string): boolean => name.endsWith('.mjs') || name.startsWith('mediaproc.config')

test.each(pages.filter((path) => !OTHER_PAGES.some((name) => path.endsWith(name))))(
  '%s',
  { timeout: 300_000 },
  async (path) => {
    const folder = await shell.samples()
    const lines = linesOf(page(path))
    for (const [name, text] of new Map([
      ...pages.flatMap(shownFiles).filter(([name]) => !isOwn(name)),
      ...shownFiles(path),
    ])) {
      if (!lines.some((line) => line.includes(name)) && !isOwn(name)) continue
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    for (const [name] of lines.join('\n').matchAll(/[\w-]+\.yaml/g))
      if (!existsSync(join(folder, name)) && existsSync(new URL(`docs/pipelines/${name}`, ROOT)))
        cpSync(new URL(`docs/pipelines/${name}`, ROOT), join(folder, name))
    for (const line of lines)
      if (!ELSEWHERE.some((start) => line.startsWith(start))) await shell.expectDone(line, folder)
  },
)
