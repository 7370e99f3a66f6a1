import { qrMatrix } from '../../engines/pictures/qrcode.ts'

/** The quiet zone: light modules around a code, which readers need to find it. */
const BORDER = 2

/** The characters for two stacked modules: terminals are mostly dark, so light modules are drawn. */
const HALVES = { '00': '█', '01': '▀', '10': '▄', '11': ' ' } as const

/** A text as a QR code for a terminal: two rows of modules per line. */
export async function qrText(text: string): Promise<string> {
  const { side, dark } = await qrMatrix(text, 'L')
  const at = (row: number, column: number): '0' | '1' => {
    const isInside = row >= 0 && column >= 0 && row < side && column < side
    return isInside && dark(row, column) ? '1' : '0'
  }
  const lines: string[] = []
  for (let row = -BORDER; row < side + BORDER; row += 2) {
    let line = ''
    for (let column = -BORDER; column < side + BORDER; column++)
      line += HALVES[`${at(row, column)}${at(row + 1, column)}`]
    lines.push(`${line}\n`)
  }
  return lines.join('')
}
