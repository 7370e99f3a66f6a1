import type { BarcodeType } from '../../../../src/engines/pictures/bwip.ts'
import type { CodeReader } from '../../_shared/codes/read-back.ts'

/** Longer Code 128 codes are too wide for many readers: ZXing writes no longer ones, and ZBar does not read 256. */
const LONGEST_CODE128 = 80

/**
 * Reads a drawn barcode back, as drawn and as a small, slightly blurred picture on a black page.
 * @returns a warning for each risk, which starts with its reason
 */
export async function checkBars(
  reader: CodeReader,
  png: Buffer,
  { text, type, scale }: { text: string; type: BarcodeType; scale: number },
): Promise<string[]> {
  const isMatrix = type === 'datamatrix'
  const reading = await reader.read({
    png,
    // Readers name a UPC-A as the EAN-13 that it is.
    expected: [type === 'upca' ? `0${text}` : text, Buffer.from(text, 'latin1'), Buffer.from(text)],
    // The library draws a module of a matrix code twice as wide as the narrowest bar of a linear one.
    module: isMatrix ? 2 * scale : scale,
    kind: isMatrix ? 'areas' : 'lines',
    surround: '#000000',
  })
  const risks: string[] = []
  if (type === 'code128' && text.length > LONGEST_CODE128)
    risks.push(
      `length: many readers cannot read a Code 128 of ${text.length} characters; use at most ${LONGEST_CODE128}, or --type datamatrix`,
    )
  if (reading === 'none') risks.push('unreadable: a reader that searched the finished picture did not find the code')
  else if (reading !== 'surrounded')
    risks.push(
      scale === 1
        ? 'module-size: the narrowest bars have 1 px and cannot be read when slightly blurred; use --scale 2 or more'
        : 'unreadable: the code cannot be read when it is small and slightly blurred',
    )
  return risks
}
