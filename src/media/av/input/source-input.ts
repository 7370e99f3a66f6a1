import { inputArguments } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { AvSource } from './part.ts'

/**
 * Arguments that read a source which is decoded. Every frame of FLAC says by a checksum whether it is whole; ffmpeg looks at
 * it only when it is asked to.
 */
export const sourceInput = ({ path, info }: AvSource): string[] => [
  ...(info.format === 'flac' ? ['-err_detect', 'crccheck'] : []),
  ...inputArguments(path),
]
