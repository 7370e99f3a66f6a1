import { requireFilter } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { filterValue } from '../../../../src/engines/ffmpeg/filter.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { onRgb } from '../../../../src/media/av/filters/colour.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { overlayOn } from '../../../../src/media/av/picture/overlay.ts'
import type { PictureChoice } from '../../../../src/media/av/picture/request.ts'
import { isOfUnitDomain, readCube } from '../../../../src/media/colour/cube.ts'
import { type MediaFile, printableName } from '../../../../src/media/file.ts'

/**
 * The filters that apply a `.cube` look-up table to a video's RGB values.
 * @param codec options of the encoder, which decide whether HDR stays
 * @throws MediaprocError INVALID_FILE for an invalid table, two in one file, or another input range
 */
export async function lutFilters(
  file: MediaFile,
  {
    source,
    picture,
    codec,
    warn,
  }: { source: AvSource; picture: PictureChoice; codec: string[]; warn: (message: string) => void },
): Promise<string[]> {
  const { curves, colours } = await readCube(file)
  if (curves && colours)
    throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} holds two tables; video uses one`, {
      hint: 'Export it with a three-dimensional table alone.',
    })
  const table = colours ?? curves
  // ffmpeg reads the range of DOMAIN_MIN and DOMAIN_MAX only in part, and those of DaVinci Resolve not at all.
  if (table && !isOfUnitDomain(table))
    throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} is not for inputs from 0 to 1`, {
      hint: 'Export it without another input range (DOMAIN_MIN, DOMAIN_MAX, LUT_3D_INPUT_RANGE).',
    })
  const filter = colours ? 'lut3d' : 'lut1d'
  await requireFilter(filter)
  const { isHdr } = await overlayOn(source, picture, codec)
  if (isHdr) warn('the look-up table is applied to HDR values; for a table made for SDR, set --hdr sdr')
  const interpolation = colours ? 'tetrahedral' : 'linear'
  return onRgb(mainVideo(source.info), isHdr, [`${filter}=file=${filterValue(file.path)}:interp=${interpolation}`])
}
