import { test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { encodeJp2 } from '../src/engines/ffmpeg-picture.ts'
import { decodePicture } from '../src/engines/mupdf-picture.ts'
import { photo, at } from './helpers/picture.ts'
import { findProgram } from '../src/engines/programs.ts'
test('x', async () => {
  const p = photo(64,48,4)
  const b = await encodeJp2({ ...p, data: Buffer.from(p.data), channels: 4 }, 80)
  writeFileSync('/tmp/j/a.jp2', b)
  const raw = execFileSync('ffmpeg', ['-v','error','-i','/tmp/j/a.jp2','-pix_fmt','rgba','-f','rawvideo','pipe:1'])
  console.log(execFileSync('sh',['-c','ffmpeg -i /tmp/j/a.jp2 2>&1 | grep Stream']).toString())
  const r = { ...p, data: raw }
  for (const y of [2,12,24,36,46]) console.log(y, at(p,5,y), at(r,5,y))
  const m = await decodePicture(b, () => {})
  for (const y of [2,24,46]) console.log(y, at(m as any,5,y), m.channels)
})
