import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../root.ts'
import { makeSamples } from './samples.ts'

/** `npm run demo`: what the program does with a photo, as a person would type it, and where the result is. */

const PROGRAM = fileURLToPath(new URL('bin/mediaproc.js', ROOT))
const FOLDER = 'out'
const SAMPLES = join(FOLDER, 'samples')
const RESULT = join(FOLDER, 'photo.webp')

const STEPS = [
  ['image', 'resize', join(SAMPLES, 'photo.jpg'), '--width', '600', '-o', join(FOLDER, 'small.jpg')],
  [
    ...['image', 'watermark-image', join(FOLDER, 'small.jpg'), '--watermark', join(SAMPLES, 'logo.svg')],
    ...['--scale', '15', '-o', join(FOLDER, 'marked.jpg')],
  ],
  ['image', 'convert', join(FOLDER, 'marked.jpg'), '--format', 'webp', '--quality', '80', '-o', RESULT],
] as const

for (const name of ['small.jpg', 'marked.jpg', 'photo.webp']) rmSync(join(FOLDER, name), { force: true })
// What an earlier demo made; the samples are not written over.
rmSync(SAMPLES, { recursive: true, force: true })
await makeSamples(SAMPLES)
for (const step of STEPS) {
  process.stdout.write(`$ mediaproc ${step.join(' ')}\n`)
  const { status } = spawnSync(process.execPath, [PROGRAM, ...step], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
process.stdout.write(`\nThe picture is ${RESULT}: a photo, made smaller, signed, and as WebP.\n`)
