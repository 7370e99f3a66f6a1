/**
 * Makes docs/media/run.svg: a picture of a real run. The commands are run, and what they print is drawn as text on the
 * ground of a terminal.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { main } from '../../cli/main.ts'
import { makeIo } from '../../cli/output/io.ts'
import { ROOT } from '../../root.ts'
import { makeSamples } from '../assets/samples.ts'

const COMMANDS = [
  'mediaproc image resize photo.jpg holiday.jpg portrait.jpg --width 480',
  'mediaproc image compress photo.jpg --mode targetSize --target-size-kb 40 --json',
  'mediaproc video trim-video clip.mp4 --end-s 1',
  'mediaproc pdf split-pdf report.pdf --range z,1',
  'mediaproc image resize photo.jpg --widht 480',
]

const FONT_SIZE = 14
const LINE = 21
const EDGE = 18

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Columns of the terminal. */
const WIDTH = 108

/** Runs `mediaproc …` as on a terminal without colours, in the current folder; returns what it prints. */
async function output(command: string): Promise<string[]> {
  let text = ''
  const terminal = (): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk)
        done()
      },
    })
  const stdin = (): Readable => Readable.from([])
  const io = makeIo({ stdin, stdout: terminal(), stderr: terminal(), stdoutIsTerminal: true, width: WIDTH })
  await main(command.split(' ').slice(1), io)
  return text.trimEnd().split('\n')
}

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-run-'))
try {
  await makeSamples(folder)
  process.chdir(folder)
  process.env.NO_COLOR = '1'
  const lines: { text: string; colour: string }[] = []
  for (const command of COMMANDS) {
    lines.push({ text: `$ ${command}`, colour: '#93c5fd' })
    for (const text of await output(command))
      for (const part of text.match(new RegExp(`.{1,${WIDTH}}`, 'g')) ?? [''])
        lines.push({ text: part, colour: '#e5e7eb' })
  }
  const width = 2 * EDGE + WIDTH * FONT_SIZE * 0.602
  const height = 2 * EDGE + lines.length * LINE
  const body = lines.map(
    ({ text, colour }, index) =>
      `<text x="${EDGE}" y="${EDGE + FONT_SIZE + index * LINE}" fill="${colour}" xml:space="preserve">${escaped(text)}</text>`,
  )
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}">` +
    `<title>Commands of mediaproc and what they print</title><rect width="100%" height="100%" rx="10" fill="#16181d"/>${body.join('')}</svg>\n`
  writeFileSync(new URL('docs/media/run.svg', ROOT), svg)
} finally {
  process.chdir(tmpdir())
  rmSync(folder, { recursive: true, force: true })
}
