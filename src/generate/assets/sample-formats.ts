/** A sample of each further type that a preset takes, so that the line in its help runs. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import { encodeHeic } from '../../engines/pictures/heif-enc.ts'
import { openSharp } from '../../engines/sharp.ts'
import { encodeEps } from '../../media/codecs/eps.ts'
import { landscape } from './sample-drawings.ts'

const [WIDTH, HEIGHT] = [480, 320]

/** A Photoshop file of one flat layer, RGB, 8 bits, not compressed. */
function psd(pixels: Buffer): Buffer {
  const header = Buffer.alloc(26)
  header.write('8BPS')
  for (const [at, value] of [
    [4, 1],
    [12, 3],
    [22, 8],
    [24, 3],
  ] as const)
    header.writeUInt16BE(value, at)
  header.writeUInt32BE(HEIGHT, 14)
  header.writeUInt32BE(WIDTH, 18)
  // No palette, no resources, no layers; then 0: not compressed, one plane behind the other.
  const planes = [0, 1, 2].map((channel) => pixels.filter((_value, index) => index % 3 === channel))
  return Buffer.concat([header, Buffer.alloc(12), Buffer.alloc(2), ...planes])
}

async function pictures(folder: string): Promise<void> {
  const drawn = (await openSharp(Buffer.from(landscape(WIDTH, HEIGHT)))).removeAlpha()
  const { data, info } = await drawn.clone().raw().toBuffer({ resolveWithObject: true })
  const size = { width: info.width, height: info.height, channels: 3 } as const
  await Promise.all([
    drawn.clone().png().toFile(join(folder, 'drawing.png')),
    drawn.clone().webp().toFile(join(folder, 'view.webp')),
    drawn.clone().tiff().toFile(join(folder, 'scan.tiff')),
    writeFile(join(folder, 'layers.psd'), psd(data)),
    writeFile(join(folder, 'print.eps'), encodeEps({ ...size, pixels: data })),
    writeFile(join(folder, 'phone.heic'), await encodeHeic({ ...size, data } as never, 60)),
  ])
}

const VIDEO = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=1']
const AUDIO = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1:sample_rate=44100']
const EXACT = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact']
const H264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac']

async function mediaFiles(folder: string): Promise<void> {
  const video = [...VIDEO, ...AUDIO, ...EXACT]
  const made: Record<string, readonly string[]> = {
    'cut.mov': [...video, ...H264],
    'old.avi': [...video, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
    'page.webm': [...video, '-c:v', 'libvpx', '-c:a', 'libvorbis', '-deadline', 'realtime'],
    'memo.m4a': [...AUDIO, ...EXACT, '-c:a', 'aac'],
    'stream.aac': [...AUDIO, ...EXACT, '-c:a', 'aac'],
    'call.ogg': [...AUDIO, ...EXACT, '-c:a', 'libvorbis'],
    'master.flac': [...AUDIO, ...EXACT, '-c:a', 'flac'],
  }
  await Promise.all(Object.entries(made).map(([name, args]) => runFfmpeg([...args, join(folder, name)])))
}

/** Writes them into `folder`, which exists. Needs ffmpeg and an encoder of HEIC. */
export async function makeFormatSamples(folder: string): Promise<void> {
  await Promise.all([pictures(folder), mediaFiles(folder)])
}
