/** The same commands on this machine and on a server: output, messages, exit codes and every byte of the files are equal. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runProgramHere } from '../helpers/program-here.ts'
import { sha256 } from '../helpers/resumable.ts'
import { makeUser, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { makeInputs } from './inputs.ts'

let server: TestServer
let key: string
let samples: string
beforeAll(async () => {
  server = await startServer()
  key = await makeUser(server, await signIn(server), 'ulla')
  samples = mkdtempSync(join(tmpdir(), 'mediaproc-samples-'))
  await makeInputs(samples)
  return () => rmSync(samples, { recursive: true, force: true })
}, 60_000)

const describeBytes = (bytes: Buffer): string => `${bytes.length} bytes, ${sha256(bytes).slice(0, 16)}`

/** All files below a folder with their size and checksum. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[]
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && !name.startsWith('.'))
  return Object.fromEntries(files.sort().map((name) => [name, describeBytes(readFileSync(join(folder, name)))]))
}

/** Output without what differs from run to run: times. */
const steady = (text: string): string => text.replace(/"ms":\d+/g, '"ms":0').replace(/\b\d+(?:\.\d+)? m?s\b/g, 'TIME')

interface Outcome {
  code: number
  stdout: string
  stderr: string
  files: Record<string, string>
}

async function outcomeOf(
  words: readonly string[],
  environment: Record<string, string>,
  stdin?: string,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-same-'))
  try {
    for (const name of readdirSync(samples)) writeFileSync(join(folder, name), readFileSync(join(samples, name)))
    const given = stdin === undefined ? {} : { stdin: readFileSync(join(samples, stdin)) }
    const { code, bytes, stderr } = await runProgramHere(words, { cwd: folder, environment, ...given })
    return { code, stdout: steady(bytes.toString('latin1')), stderr: steady(stderr), files: filesIn(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Row {
  command: string
  code?: number
  stdin?: string
  /** Named outputs that the command makes. */
  makes?: readonly string[]
}

const rows: Row[] = [
  { command: 'image resize photo.jpg --width 40', makes: ['photo_resize.jpg'] },
  { command: 'image resize photo.jpg logo.png --width 40 --json', makes: ['photo_resize.jpg', 'logo_resize.png'] },
  { command: 'image resize photo.jpg logo.png broken.jpg --width 40', code: 1, makes: ['logo_resize.png'] },
  { command: 'image resize photo.jpg broken.jpg --width 40 --json', code: 1 },
  { command: 'image resize photo.jpg nothing.jpg --width 40', code: 1 },
  { command: 'image resize photo.jpg --width 40 -o small.webp', makes: ['small.webp'] },
  { command: 'image resize photo.jpg --width 40 -o -' },
  { command: 'image resize - --width 40 -o out.jpg', stdin: 'photo.jpg', makes: ['out.jpg'] },
  { command: 'image resize photo.jpg --width 40 -o photo.jpg', code: 2 },
  { command: 'image resize photo.jpg --width 40 -o logo.png', makes: ['logo.png'] },
  { command: 'image resize photo.jpg --width 40 -d out', makes: ['out/photo_resize.jpg'] },
  {
    command: 'image resize photo.jpg logo.png --width 40 -d out --name {index}-{stem}.{ext}',
    makes: ['out/1-photo.jpg'],
  },
  { command: 'image resize photo.jpg logo.png --width 40 -d out --name same.{ext} --dry-run' },
  { command: 'image resize photo.jpg logo.png --width 40 --name same.png', code: 2 },
  { command: 'image resize photo.jpg --width 40 --dry-run' },
  { command: 'image resize photo.jpg --width none', code: 2 },
  { command: 'image resize photo.jpg --widht 40', code: 2 },
  { command: 'image resize photo.jpg --width 40 --quiet', makes: ['photo_resize.jpg'] },
  { command: 'image resize note.txt --width 40', code: 1 },
  { command: 'image resize --width 40', code: 2 },
  { command: 'image info photo.jpg' },
  { command: 'image info photo.jpg --json' },
  { command: 'image info photo.jpg -o info.json', makes: ['info.json'] },
  { command: 'image convert logo.png --format webp', makes: ['logo.webp'] },
  { command: 'image png-to-jpg logo.png', makes: ['logo.jpg'] },
  { command: 'convert logo.png logo.webp', makes: ['logo.webp'] },
  { command: 'convert photo.jpg logo.png --to webp -d out', makes: ['out/photo.webp', 'out/logo.webp'] },
  { command: 'image compress photo.jpg --quality 50', makes: ['photo_compress.jpg'] },
  { command: 'image crop photo.jpg --left 5 --top 5 --width 20 --height 10', makes: ['photo_crop.jpg'] },
  { command: 'image crop photo.jpg --left 5000 --top 5 --width 20 --height 10', code: 2 },
  { command: 'image rotate photo.jpg --angle 90', makes: ['photo_rotate.jpg'] },
  { command: 'image duotone photo.jpg', makes: ['photo_duotone.jpg'] },
  { command: 'image watermark-image photo.jpg --watermark logo.png', makes: ['photo_watermarked.jpg'] },
  { command: 'image watermark-image photo.jpg', code: 2 },
  { command: 'image watermark-image photo.jpg --watermark nothing.png', code: 1 },
  { command: 'image color-palette photo.jpg' },
  { command: 'image find-duplicates photo.jpg logo.png' },
  { command: 'image favicon logo.png' },
  { command: 'image favicon logo.png --zip' },
  { command: 'image lqip-placeholder photo.jpg --json' },
  { command: 'image edit-metadata/inspect photo.jpg' },
  { command: 'image image-to-base64 logo.png' },
  { command: 'image qr-generate --data hello', makes: [] },
  { command: 'image image-to-pdf photo.jpg logo.png -o both.pdf', makes: ['both.pdf'] },
  { command: 'image resize large.png --width 100', makes: ['large_resize.png'] },
  { command: 'image resize large.png --width 100 --json' },
  { command: 'pdf rotate-pdf pages.pdf --angle 90' },
  { command: 'pdf split-pdf pages.pdf --range 1-2,3' },
  { command: 'pdf merge-pdf pages.pdf pages.pdf -o all.pdf', makes: ['all.pdf'] },
  { command: 'pdf pdf-to-image pages.pdf --pages 1' },
  { command: 'pdf rotate-pdf broken.jpg --angle 90', code: 1 },
  { command: 'pdf unlock-pdf locked.pdf --password right', makes: [] },
  { command: 'pdf unlock-pdf locked.pdf --password wrong', code: 1 },
  { command: 'audio convert-audio tone.wav --format flac', makes: ['tone.flac'] },
  { command: 'audio trim-audio tone.wav --start-s 0.1 --end-s 0.3' },
  { command: 'audio convert-audio broken.jpg --format flac', code: 1 },
  { command: 'files csv-json table.csv' },
  { command: 'files csv-json table.csv --json' },
  { command: 'run web.yaml photo.jpg' },
  { command: 'run web.yaml photo.jpg broken.jpg', code: 1 },
  { command: 'run variants.yaml photo.jpg logo.png -d out' },
  { command: 'run variants.yaml photo.jpg --dry-run' },
  { command: 'run wrong.yaml photo.jpg', code: 2 },
  { command: 'image no-such-tool photo.jpg', code: 2 },
]

describe('on a server as on this machine', () => {
  test.each(rows)('$command', async ({ command, code = 0, stdin, makes = [] }) => {
    const words = command.split(' ')
    const here = await outcomeOf(words, {}, stdin)
    const there = await outcomeOf(words, { MEDIAPROC_SERVER: server.base, MEDIAPROC_API_KEY: key }, stdin)
    expect(there).toEqual(here)
    expect(here.code, here.stderr).toBe(code)
    expect(Object.keys(here.files)).toEqual(expect.arrayContaining([...makes]))
  })

  test('there are at least 60 of them', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60)
  })
})
