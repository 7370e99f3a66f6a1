import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runJob } from '../../src/job/run.ts'
import type { Job, OutputFile } from '../../src/tool/contract.ts'
import { makeAudio, makeVideo, paintedVideo } from '../helpers/av.ts'
import { plain } from '../helpers/picture.ts'
import { namesIn, temporaryFolder } from '../helpers/program.ts'
import { runProgramHere } from '../helpers/program-here.ts'
import { mountSmallDisk } from '../helpers/small-disk.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

/** A job that writes one picture, truncated to `bytes`. */
async function job(name: string, missing: number, about: Partial<OutputFile> = {}) {
  const picture = await plain(30, 30, '#204060').png().toBuffer()
  const run = async (own: Job) => {
    const path = await own.output(name)
    await writeFile(path, picture.subarray(0, picture.length - missing))
    return { files: [{ path, name, mime: 'image/png', ...about }] }
  }
  const input = { files: 'none', min: 0, max: 0, accept: [] } as const
  const tool = { id: 'x', section: 'image', input, run, timeoutS: 5 } as const
  return { tool, inputs: [], settings: {}, destination: folder.path }
}

test('does not place an incomplete file, even if its writer reported success', async () => {
  const placed: string[] = []
  const place = async ({ files }: { files: OutputFile[] }) => void placed.push(...files.map(({ name }) => name))
  await runJob(await job('whole.png', 0), place)
  await expect(runJob(await job('half.png', 30), place)).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: 'The result half.png ends too early, so it was not kept',
  })
  expect(placed).toEqual(['whole.png'])
  expect(namesIn(folder.path)).toEqual([])
})

test('passes an archive member on unchanged', async () => {
  const names = await runJob(await job('half.png', 30, { isVerbatim: true }), async ({ files }) => files.length)
  expect(names).toBe(1)
})

const disk = mountSmallDisk('160k')

// Needs permission to mount a disk: root on Linux.
describe.skipIf(!disk)('a disk that fills up during a write', () => {
  /** Runs a command that writes to the disk next to an older result; it must fail and keep that result. */
  async function expectFull(args: readonly string[], old: string): Promise<void> {
    const path = join(disk!, old)
    writeFileSync(path, 'the older result')
    const all = [...args, '-d', disk!, '--name', '{stem}.{ext}', '--force', '--json']
    const { code, stdout, stderr } = await runProgramHere(all, { cwd: folder.path })
    expect(code, stderr).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'DISK_FULL' } })
    expect(namesIn(disk!)).toEqual([old])
    expect(readFileSync(path, 'utf8')).toBe('the older result')
    rmSync(path)
  }

  test('MP4, whose index is written last', async () => {
    const video = await paintedVideo('testsrc2=s=640x360:r=25:d=6', 'mp4')
    writeFileSync(join(folder.path, 'video.mp4'), readFileSync(video))
    await expectFull(['video', 'resize-video', 'video.mp4', '--width', '480'], 'video.mp4')
  })

  test('MP3', async () => {
    writeFileSync(join(folder.path, 'tone.wav'), readFileSync(await makeAudio({ seconds: 20 })))
    await expectFull(['audio', 'convert-audio', 'tone.wav', '--bitrate-kbps', '320'], 'tone.mp3')
  })

  test('GIF', async () => {
    writeFileSync(
      join(folder.path, 'video.mp4'),
      readFileSync(await makeVideo({ seconds: 4, width: 640, height: 360 })),
    )
    await expectFull(['video', 'video-to-gif', 'video.mp4'], 'video.gif')
  })

  test('a picture', async () => {
    writeFileSync(join(folder.path, 'a.png'), await plain(400, 400, '#123456').png().toBuffer())
    await expectFull(['image', 'convert', 'a.png', '--format', 'bmp'], 'a.bmp')
  })
})
