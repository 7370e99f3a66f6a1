import { inputArguments } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { AvSource } from './part.ts'

/**
 * Arguments that read a source to be decoded. Each FLAC frame has a checksum, which ffmpeg only verifies on request.
 */
export const sourceInput = ({ path, info }: AvSource): string[] => [
  ...(info.format === 'flac' ? ['-err_detect', 'crccheck'] : []),
  ...inputArguments(path),
]
