import { open } from 'node:fs/promises'

/** The tag before the first frame, as in ID3v2.4, section 3.1: its size is stored in four bytes of seven bits. */
const ID3_HEADER = 10
/** Maximum offset of these words in the first frame; the exact offset depends on version and channels. */
const NEAR = 256
/** Xing, LAME and Fraunhofer tables: the number of frames follows them. */
const TABLES = ['Xing', 'Info', 'VBRI']

/** Whether an MP3 states its duration; otherwise it is only estimated from the bit rate of its beginning. */
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
