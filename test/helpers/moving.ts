import { captureFfmpeg, inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { sharedMedia } from './av.ts'

export interface MovingRecipe {
  width?: number
  height?: number
  /** Frames of the progressive original; an interlaced video has half as many. */
  frames?: number
}

const SIZE = { width: 192, height: 144, frames: 50 }

/** A drawn scene that passes by at 6 px for each of 50 frames per second, lossless. */
export function movingOriginal(recipe: MovingRecipe = {}): Promise<string> {
  const { width, height, frames } = { ...SIZE, ...recipe }
  return sharedMedia(['moving', width, height, frames], 'moving.mkv', async (path) => {
    const scene = `testsrc2=s=${width + 6 * frames}x${height}:r=50:d=1,trim=end_frame=1,loop=${frames}:1:0,setpts=N/50/TB`
    const moving = `${scene},crop=${width}:${height}:6*n:0:exact=1,format=yuv420p`
    await runFfmpeg(['-f', 'lavfi', '-i', moving, '-frames:v', String(frames), '-c:v', 'ffv1', path])
  })
}

/** The original with two moments in every frame, the first field being the earlier one. */
export async function movingFields(
  first: 'top' | 'bottom',
  {
    codec,
    extension,
    options = [],
    ...recipe
  }: MovingRecipe & { codec: string; extension: string; options?: string[] },
): Promise<string> {
  const { width, height, frames } = { ...SIZE, ...recipe }
  const original = await movingOriginal(recipe)
  const key = ['moving-fields', first, codec, ...options, width, height, frames]
  return sharedMedia(key, `fields.${extension}`, async (path) => {
    const [mode, order] = first === 'top' ? ['interleave_top', 'tff'] : ['interleave_bottom', 'bff']
    const fields = ['-vf', `tinterlace=${mode},setfield=${order}`, '-r', '25']
    await runFfmpeg([...inputArguments(original), ...fields, '-c:v', codec, ...options, path])
  })
}

/** Encoder options that mark fields. */
export const MARKED = ['-flags', '+ilme+ildct', '-q:v', '2']

/**
 * Similarity of the luma of two videos, frame by frame in order, dB; 100 for equal ones.
 * @param filters applied to the second one, the reference
 */
export async function psnr(
  path: string,
  reference: string,
  filters: string[] = [],
  own: string[] = [],
): Promise<number> {
  const inOrder = 'settb=1/25,setpts=N,format=gray'
  const graph = `[0:v]${[...own, inOrder].join(',')}[a];[1:v]${[...filters, inOrder].join(',')}[b];[a][b]psnr`
  const text = await runFfmpeg(
    [...inputArguments(path), ...inputArguments(reference), '-lavfi', graph, '-f', 'null', '-'],
    { logLevel: 'info' },
  )
  const found = /PSNR y:(inf|[\d.]+)/.exec(text)?.[1]
  return found === 'inf' ? 100 : Number(found)
}

/** Every second frame of the original: the moment of the first field. */
export const FIRST_MOMENTS = ['select=not(mod(n\\,2))']

/** What a decoder reports for the first frame: `T` or `B` for the field that is first, `P` without fields. */
export async function firstField(path: string): Promise<string | undefined> {
  const args = [...inputArguments(path), '-vf', 'showinfo', '-frames:v', '1', '-f', 'null', '-']
  return / i:([TBP]) /.exec(await runFfmpeg(args, { logLevel: 'info' }))?.[1]
}

/** The mean red, green and blue of a rectangle of the first frame, 0 to 255. */
export async function patchColour(path: string, rectangle: string): Promise<[number, number, number]> {
  const filters = `crop=${rectangle}:exact=1,scale=1:1:flags=area,format=rgb24`
  const [red = 0, green = 0, blue = 0] = await captureFfmpeg(
    [...inputArguments(path), '-vf', filters, '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'],
    { maxOutput: 16 },
  )
  return [red, green, blue]
}
