import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import splitAudio from '../../../tools/audio/split-audio.ts'
import { makeAudio, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A second of audio as a WAV, changed. */
async function changed(change: (wav: Buffer) => Buffer): Promise<string> {
  const path = temporaryPath('changed.wav')
  writeFileSync(path, change(readFileSync(await makeAudio({ seconds: 1 }))))
  return path
}

const half = (wav: Buffer): Buffer =>
  wav.subarray(0, wav.indexOf('data') + 8 + wav.readUInt32LE(wav.indexOf('data') + 4) / 2)

test('every kind of tool reports the missing end of a cut WAV', async () => {
  const path = await changed(half)
  const missing = 'the file is cut off: the last 0.5 s of its audio are missing'
  expect((await run(convertAudio, folder, [path], { format: 'flac' })).warnings).toEqual([missing])
  expect((await run(splitAudio, folder, [path], { mode: 'parts', parts: 2 })).warnings).toContain(missing)
})

test('accepts a complete one, one without its length, and odd chunks', async () => {
  const paths = [
    await changed((wav) => wav),
    await changed((wav) => {
      wav.writeUInt32LE(0xffffffff, wav.indexOf('data') + 4)
      return wav
    }),
    // A chunk of odd length before the audio, padded with a byte.
    await changed((wav) => {
      const at = wav.indexOf('data')
      const odd = Buffer.from('note\x03\0\0\0abc\0', 'latin1')
      return Buffer.concat([wav.subarray(0, at), odd, wav.subarray(at)])
    }),
  ]
  for (const path of paths) expect((await run(convertAudio, folder, [path], { format: 'flac' })).warnings).toEqual([])
})
