/** Ten logos, black on white, for bench/vectorize.mjs. */

/** Their width and height in pixels. */
export const SIDE = 512

const drawing = (shapes) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="100%" height="100%" fill="#fff"/>${shapes}</svg>`

/** The corners of a star. */
function star(x, y, outer, inner, points) {
  const corners = Array.from({ length: 2 * points }, (_, index) => {
    const angle = (Math.PI * index) / points - Math.PI / 2 + 0.1
    const radius = index % 2 ? inner : outer
    return `${(x + radius * Math.cos(angle)).toFixed(2)},${(y + radius * Math.sin(angle)).toFixed(2)}`
  })
  return corners.join(' ')
}

export const LOGOS = {
  shapes: drawing(
    `<rect x="60.3" y="70.6" width="150.5" height="120.2"/><circle cx="370.4" cy="140.7" r="80.2"/><polygon points="80.5,440.2 180.3,290.8 250.9,450.4"/><polygon points="${star(380, 370, 90, 38, 5)}"/>`,
  ),
  letters: drawing(`<text x="40" y="330" font-family="Noto Sans" font-weight="bold" font-size="230">Rag</text>`),
  serif: drawing(`<text x="30" y="330" font-family="Noto Serif, DejaVu Serif" font-size="210">Qek</text>`),
  rounded: drawing(
    `<rect x="70.4" y="60.7" width="370.3" height="160.6" rx="40" /><rect x="70.4" y="280.3" width="160.2" height="160.9" rx="24.5"/><rect x="290" y="290.5" width="150" height="150" rx="60" transform="rotate(12 365 365)"/>`,
  ),
  thin: drawing(
    `<g fill="none" stroke="#000" stroke-width="3"><path d="M40 60L470 130"/><circle cx="256.3" cy="290.2" r="150.4"/><path d="M100 480C200 300 300 560 460 330"/><path d="M60.5 200.5H450.5"/></g>`,
  ),
  ring: drawing(
    `<path fill-rule="evenodd" d="M256 40A216 216 0 1 0 256 472A216 216 0 1 0 256 40ZM256 130A126 126 0 1 1 256 382A126 126 0 1 1 256 130Z"/><circle cx="256" cy="256" r="60"/>`,
  ),
  hexagon: drawing(
    `<path fill-rule="evenodd" d="M256 30L452 143V369L256 482L60 369V143ZM256 120L374 188V324L256 392L138 324V188Z"/>`,
  ),
  leaf: drawing(
    `<path d="M90 430C80 200 240 80 440 80C440 300 320 440 90 430Z"/><path d="M60 470L300 230" stroke="#fff" stroke-width="14"/>`,
  ),
  arrow: drawing(`<path d="M60 256L256 60L452 256H340V452H172V256Z" transform="rotate(17 256 256)"/>`),
  mark: drawing(
    `<path d="M96 416V96H176L256 256L336 96H416V416H346V216L281 346H231L166 216V416Z"/><circle cx="440" cy="450" r="14"/><path d="M60 450H400" stroke="#000" stroke-width="8" stroke-linecap="round"/>`,
  ),
}
