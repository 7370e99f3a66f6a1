import { type Metadata, readMetadata } from '../../engines/sharp.ts'
import { imageError } from './errors.ts'

/** What sharp is to open, and how, once the type of the file is known. */
export interface Source {
  input: string | Buffer
  metadata: Metadata
  /** The pixels need no turning: the decoder did it. */
  upright?: boolean
  density?: number
  rasterisedAtDpi?: number
}

/** What sharp reads from a header; `name` is the file's, for messages. @throws INVALID_FILE */
export async function readHeader(input: string | Buffer, name: string, options: object = {}): Promise<Metadata> {
  try {
    return await readMetadata(input, options)
  } catch (error) {
    throw imageError(error, name)
  }
}
