import { qrMatrix } from '../../engines/pictures/qrcode.ts'

/** Quiet zone around the code in modules; readers need it to find the code. */
const BORDER = 4

/** Encodes a text as a QR code for a page: an SVG data URI. */
export async function qrDataUri(text: string): Promise<string> {
  const { side, dark } = await qrMatrix(text, 'M')
  let path = ''
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++)
      if (dark(row, column)) path += `M${column + BORDER} ${row + BORDER}h1v1h-1z`
  const all = side + 2 * BORDER
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${all} ${all}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${all}v${all}H0z"/><path d="${path}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
