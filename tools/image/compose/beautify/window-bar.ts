import type { Size } from '../../../../src/media/image/frame.ts'
import {
  BROWSER,
  type BrowserFrame,
  MACOS_TITLE_PX,
  type MacosFrame,
  WINDOW_DOTS,
  WINDOWS_BUTTONS,
  WINDOWS_TITLE,
  type WindowsFrame,
} from './screenshot-frames.ts'

/** A line of text in a bar. `align` defines the meaning of `x`; `y` is the middle of the line. In px. */
export interface BarText {
  text: string
  size: number
  color: string
  x: number
  y: number
  align: 'left' | 'center'
  /** Maximum width. */
  room: number
}

export interface WindowBar {
  /** Paths only. */
  svg: string
  texts: BarText[]
}

/** A bar at one pixel per point. */
interface PlainBar {
  shapes: string
  texts: BarText[]
}

const svgOf = ({ width, height }: Size, scale: number, ground: string, shapes: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width * scale}" height="${height * scale}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${ground}"/>${shapes}</svg>`

const dots = (y: number): string =>
  WINDOW_DOTS.x
    .map((x, index) => `<circle cx="${x}" cy="${y}" r="${WINDOW_DOTS.radius}" fill="${WINDOW_DOTS.colors[index]}"/>`)
    .join('')

/** Space on both sides of a centred title: the buttons and a margin. */
const MACOS_MARGIN = 80

function macosBar({ titleBarPx: height, titleColor }: MacosFrame, width: number, title: string): PlainBar {
  const y = height / 2
  const text = { text: title, size: MACOS_TITLE_PX, color: titleColor }
  return {
    shapes: dots(y),
    texts: [{ ...text, x: width / 2, y, align: 'center', room: width - 2 * MACOS_MARGIN }],
  }
}

/** Minimise, maximise and close, from the left. */
function windowsBar(
  { titleBarPx: height, titleColor, glyphColor }: WindowsFrame,
  width: number,
  title: string,
): PlainBar {
  const { count, widthPx, glyphPx } = WINDOWS_BUTTONS
  const begin = width - count * widthPx
  const middle = (button: number): number => Math.round(begin + (button + 0.5) * widthPx)
  const [y, half] = [height / 2, glyphPx / 2]
  // One-pixel lines are centred on pixels; otherwise they would be two faint ones.
  const [minimise, maximise, close] = [middle(0), middle(1), middle(2)] as [number, number, number]
  const glyphs = [
    `M${minimise - half} ${y + 0.5}H${minimise + half}`,
    `M${maximise - half + 0.5} ${y - half + 0.5}H${maximise + half - 0.5}V${y + half - 0.5}H${maximise - half + 0.5}Z`,
    `M${close - half} ${y - half}L${close + half} ${y + half}M${close + half} ${y - half}L${close - half} ${y + half}`,
  ]
  const { size, x } = WINDOWS_TITLE
  const text: BarText = { text: title, size, color: titleColor, x, y, align: 'left', room: begin - 2 * x }
  return {
    shapes: `<path d="${glyphs.join('')}" fill="none" stroke="${glyphColor}" stroke-width="1"/>`,
    texts: [text],
  }
}

/** Text size in tabs and the address field, and the padding at their ends. */
const BROWSER_TEXT = { size: 13, inset: 12 }

/** Space above a tab, and above and below the address field. */
const TAB_TOP = 6
const ADDRESS_GAP = 5

/** A closed padlock, 9 px wide, whose body starts at `y` + 6. */
const lock = (x: number, y: number, color: string): string =>
  `<rect x="${x}" y="${y - 1}" width="9" height="7" rx="1.5" fill="${color}"/><path d="M${x + 2} ${y - 1}V${y - 3}A2.5 2.5 0 0 1 ${x + 7} ${y - 3}V${y - 1}" fill="none" stroke="${color}" stroke-width="1.4"/>`

/** The text of a tab without a title. */
const NEW_TAB = 'New Tab'

function browserBar(frame: BrowserFrame, width: number, title: string): PlainBar {
  const { titleBarPx: height, tab, address, separator } = frame
  const { tabRowPx, addressRowPx, tab: tabs, address: field } = BROWSER
  const tabWidth = Math.min(tabs.maxWidthPx, width - tabs.x - field.insetPx)
  const { radius, x } = tabs
  const tabShape =
    tabWidth > 2 * radius
      ? `<path d="M${x} ${tabRowPx}V${TAB_TOP + radius}A${radius} ${radius} 0 0 1 ${x + radius} ${TAB_TOP}H${x + tabWidth - radius}A${radius} ${radius} 0 0 1 ${x + tabWidth} ${TAB_TOP + radius}V${tabRowPx}Z" fill="${tab.color}"/>`
      : ''
  const line = (y: number): string => `<rect y="${y}" width="${width}" height="1" fill="${separator}"/>`
  const fieldTop = tabRowPx + ADDRESS_GAP
  const fieldHeight = addressRowPx - 2 * ADDRESS_GAP
  const fieldWidth = Math.max(0, width - 2 * field.insetPx)
  const fieldShape = `<rect x="${field.insetPx}" y="${fieldTop}" width="${fieldWidth}" height="${fieldHeight}" rx="${field.radius}" fill="${address.color}"/>`
  const { size, inset } = BROWSER_TEXT
  const lockX = field.insetPx + inset
  const addressX = lockX + 9 + 8
  const middle = fieldTop + fieldHeight / 2
  return {
    shapes: `${dots(tabRowPx / 2)}${line(tabRowPx)}${tabShape}${fieldShape}${lock(lockX, middle - 2, address.lock)}${line(height - 1)}`,
    texts: [
      {
        text: title || NEW_TAB,
        size,
        color: tab.text,
        x: x + inset,
        y: (TAB_TOP + tabRowPx) / 2,
        align: 'left',
        room: tabWidth - 2 * inset,
      },
      {
        text: title,
        size,
        color: address.text,
        x: addressX,
        y: middle,
        align: 'left',
        room: field.insetPx + fieldWidth - inset - addressX,
      },
    ],
  }
}

type WindowFrame = MacosFrame | WindowsFrame | BrowserFrame

function plainBar(frame: WindowFrame, width: number, title: string): PlainBar {
  if (frame.look === 'macos') return macosBar(frame, width, title)
  return frame.look === 'windows' ? windowsBar(frame, width, title) : browserBar(frame, width, title)
}

/**
 * The bar above an image of this width, with its texts.
 * @param scale pixels of the screenshot per point of the screen it shows
 */
export function windowBar(frame: WindowFrame, width: number, title: string, scale: number): WindowBar {
  const size = { width: width / scale, height: frame.titleBarPx }
  const { shapes, texts } = plainBar(frame, size.width, title)
  return {
    svg: svgOf(size, scale, frame.bar, shapes),
    texts: texts.map((line) => ({
      ...line,
      size: line.size * scale,
      x: line.x * scale,
      y: line.y * scale,
      room: line.room * scale,
    })),
  }
}
