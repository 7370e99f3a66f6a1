import { open } from 'node:fs/promises'

/** The tag before the first frame, as in ID3v2.4, section 3.1: its size stands in four bytes of seven bits. */
const ID3_HEADER = 10
/** Where encoders put these words into the first frame depends on its version and channels; all places are nearer. */
const NEAR = 256
/** Tables of Xing, LAME and Fraunhofer: the number of frames stands behind them. */
const TABLES = ['Xing', 'Info', 'VBRI']

/** Whether an MP3 says itself how long it is; the length of others is only guessed from the bit rate of its beginning. */
export async function saysLength(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(ID3_HEADER)
    await file.read(head, 0, ID3_HEADER, 0)
    const isTagged = head.toString('latin1', 0, 3) === 'ID3'
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head[at]! & 0x7f), 0)
    const frame = Buffer.alloc(NEAR)
    await file.read(frame, 0, NEAR, isTagged ? ID3_HEADER + size : 0)
    return TABLES.some((word) => frame.includes(word, 0, 'latin1'))
  } finally {
    await file.close()
  }
}
