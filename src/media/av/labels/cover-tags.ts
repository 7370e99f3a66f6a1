import { readFile, writeFile } from 'node:fs/promises'
import { captureFfmpeg, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { inputArguments } from '../../../engines/ffmpeg/input.ts'
import type { Stream } from '../../../engines/ffmpeg/media-info.ts'
import { type ListedPacket, packetReader } from '../input/packet-list.ts'
import type { AvSource } from '../input/part.ts'
import { id3Tag } from './id3.ts'

/** A cover image that is written as a tag: a stream of the source, or a file. */
export type CoverTag = { stream: Stream } | { path: string }

/** Covers that every container and player supports; others become PNG. */
export const COVER_CODECS = new Set(['mjpeg', 'png'])

/** The largest cover that is read from a source, bytes; the size field of FLAC pictures has 24 bits. */
const MAX_COVER_BYTES = 16 * 1024 * 1024 - 1024

/** ffmpeg's names of the picture types (ID3v2.4, APIC), by their number. */
const PICTURE_TYPES = [
  ...['Other', "32x32 pixels 'file icon'", 'Other file icon', 'Cover (front)', 'Cover (back)', 'Leaflet page'],
  ...['Media (e.g. label side of CD)', 'Lead artist/lead performer/soloist', 'Artist/performer', 'Conductor'],
  ...['Band/Orchestra', 'Composer', 'Lyricist/text writer', 'Recording Location', 'During recording'],
  ...['During performance', 'Movie/video screen capture', 'A bright coloured fish', 'Illustration'],
  ...['Band/artist logotype', 'Publisher/Studio logotype'],
]
/** ffmpeg's name of the picture type 3. */
export const FRONT_COVER = 'Cover (front)'

/** Input options that read a picture as one packet, so that its bytes are copied; a JPEG can contain others. */
export const WHOLE_PICTURE = ['-f', 'image2', '-pattern_type', 'none']

/**
 * Options that write a picture file as the front cover.
 * @param map its stream, e.g. `1:v:0`
 * @param position its number among the video streams of the output
 */
export const coverArguments = (map: string, position: number): string[] => [
  ...['-map', map, `-c:v:${position}`, 'copy', `-disposition:v:${position}`, 'attached_pic'],
  ...[`-metadata:s:v:${position}`, `comment=${FRONT_COVER}`],
]

const pictureType = (name = FRONT_COVER): number => Math.max(0, PICTURE_TYPES.indexOf(name))

const PNG_SIGNATURE = '89504e47'
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A picture as METADATA_BLOCK_PICTURE (RFC 9639, 8.8). Sizes of 0 mean that readers look into the picture. */
function pictureBlock(picture: Buffer, type: number, description: string): Buffer {
  const isPng = picture.subarray(0, 4).toString('hex') === PNG_SIGNATURE
  const mime = Buffer.from(isPng ? 'image/png' : 'image/jpeg')
  const words = Buffer.from(description)
  return Buffer.concat([
    ...[number(type), number(mime.length), mime, number(words.length), words],
    ...[Buffer.alloc(16), number(picture.length), picture],
  ])
}

/** Whether a stream is a cover that can be decoded: no muxer takes a picture without a size. */
export const isReadableCover = ({ isAttachedPicture, width = 0 }: Stream): boolean => isAttachedPicture && width > 0

/** The front cover, or the first picture. */
export const frontCover = (covers: readonly Stream[]): Stream | undefined =>
  covers.find(({ tags }) => tags.comment === FRONT_COVER) ?? covers[0]

/** The bytes of a cover image: JPEG or PNG as they are in the source, other types as PNG. */
export async function readCover({ path }: AvSource, { index, codec }: Stream, signal?: AbortSignal): Promise<Buffer> {
  const encoder = COVER_CODECS.has(codec) ? 'copy' : 'png'
  const output = ['-map', `0:${index}`, '-c', encoder, '-frames:v', '1', '-f', 'image2pipe', 'pipe:1']
  return Buffer.from(
    await captureFfmpeg([...inputArguments(path), ...output], {
      ...{ maxOutput: MAX_COVER_BYTES, what: 'Reading the cover' },
      ...(signal && { signal }),
    }),
  )
}

/** The bytes of the cover images of a source, as they are stored there. */
export async function coverBytes({ path, info }: AvSource, signal?: AbortSignal): Promise<number> {
  const covers = info.streams.filter(isReadableCover)
  if (covers.length === 0) return 0
  const maps = covers.flatMap(({ index }) => ['-map', `0:${index}`])
  let bytes = 0
  const onPacket = ({ size }: ListedPacket): void => {
    bytes += size
  }
  await streamFfmpeg(
    [...inputArguments(path), ...maps, '-c', 'copy', '-frames:v', '1', '-f', 'framecrc', 'pipe:1'],
    packetReader(onPacket),
    { what: 'Reading the covers', ...(signal && { signal }) },
  )
  return bytes
}

/** Frames of silence at 32 kbit/s and 44.1 kHz (ISO/IEC 11172-3), which make a tag a readable file. */
const SILENCE = Buffer.concat(
  Array.from({ length: 8 }, () => Buffer.concat([Buffer.from('fffb10c4', 'hex'), Buffer.alloc(100)])),
)

/**
 * Writes a file with the front cover, or the first one, as a tag for Ogg: METADATA_BLOCK_PICTURE in base64. It is an ID3v2 tag before silent MPEG
 * audio, because every ffmpeg reads long values from it: an argument has at most 128 kB, and old builds cut lines of
 * ffmetadata at 1 kB.
 */
export async function writeCoverTags(
  source: AvSource,
  covers: readonly CoverTag[],
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  // ffmpeg keeps one value for each tag: only one cover can be written.
  const given = covers.find((cover) => 'path' in cover)
  const own = frontCover(covers.flatMap((cover) => ('stream' in cover ? [cover.stream] : [])))
  const picture = given ? await readFile(given.path) : own && (await readCover(source, own, signal))
  if (!picture) return
  const block = pictureBlock(picture, pictureType(own?.tags.comment), own?.title ?? '')
  const tag = id3Tag({ METADATA_BLOCK_PICTURE: block.toString('base64') })
  await writeFile(path, Buffer.concat([tag, SILENCE]))
}

/** Arguments that read the tags of such a file. */
export const tagFileInput = (path: string): string[] => ['-f', 'mp3', ...inputArguments(path)]
