/** The frames of beautify: catalogue values, px, and fractions of the image's width for devices. */

interface Bar {
  kind: 'window'
  /** Height of the area above the image. */
  titleBarPx: number
  bar: string
}

/** The round buttons of macOS; also used in browsers. */
export const WINDOW_DOTS = { radius: 6, x: [20, 40, 60], colors: ['#ff5f57', '#febc2e', '#28c840'] } as const

export interface MacosFrame extends Bar {
  look: 'macos'
  titleColor: string
}

export interface WindowsFrame extends Bar {
  look: 'windows'
  titleColor: string
  glyphColor: string
}

export interface BrowserFrame extends Bar {
  look: 'browser'
  tab: { color: string; text: string }
  address: { color: string; text: string; lock: string }
  separator: string
}

export interface DeviceFrame {
  kind: 'device'
  bezel: number
  outerRadius: number
  innerRadius: number
  color: string
  /** The cameras of a phone, in the screen; `top` is their distance from its edge. */
  island?: { width: number; height: number; top: number }
  /** The keyboard half, seen from the front. */
  base?: { height: number; overhang: number }
}

export type ScreenshotFrame = MacosFrame | WindowsFrame | BrowserFrame | DeviceFrame

export const MACOS_TITLE_PX = 13
export const WINDOWS_TITLE = { size: 12, x: 12 } as const
export const WINDOWS_BUTTONS = { count: 3, widthPx: 46, glyphPx: 10 } as const
export const BROWSER = {
  tabRowPx: 36,
  addressRowPx: 36,
  tab: { maxWidthPx: 200, x: 96, radius: 8 },
  address: { insetPx: 12, radius: 10 },
} as const

const macos = (bar: string, titleColor: string): MacosFrame => ({
  kind: 'window',
  look: 'macos',
  titleBarPx: 36,
  bar,
  titleColor,
})

const windows = (bar: string, titleColor: string, glyphColor: string): WindowsFrame => ({
  kind: 'window',
  look: 'windows',
  titleBarPx: 36,
  bar,
  titleColor,
  glyphColor,
})

const LIGHT = '#d8dadd'
const DARK = '#1c1c1e'

const phone = (color: string): DeviceFrame => ({
  kind: 'device',
  bezel: 0.045,
  outerRadius: 0.15,
  innerRadius: 0.11,
  // As on phones since 2022: 126 x 37 points on a screen of 393, 11 below its edge.
  island: { width: 0.32, height: 0.094, top: 0.028 },
  color,
})

const laptop = (color: string): DeviceFrame => ({
  kind: 'device',
  bezel: 0.025,
  outerRadius: 0.03,
  innerRadius: 0.005,
  base: { height: 0.06, overhang: 0.06 },
  color,
})

const tablet = (color: string): DeviceFrame => ({
  kind: 'device',
  bezel: 0.05,
  outerRadius: 0.06,
  innerRadius: 0.02,
  color,
})

export const SCREENSHOT_FRAMES = {
  'macos-light': macos('#e8e8e8', '#4b4b4b'),
  'macos-dark': macos('#3a3a3c', '#d4d4d4'),
  'windows-light': windows('#f0f0f0', '#1a1a1a', '#616161'),
  'windows-dark': windows('#2b2b2b', '#d4d4d4', '#a0a0a0'),
  'browser-light': {
    kind: 'window',
    look: 'browser',
    titleBarPx: 72,
    bar: '#f1f5f9',
    tab: { color: '#ffffff', text: '#334155' },
    address: { color: '#ffffff', text: '#64748b', lock: '#16a34a' },
    separator: '#e2e8f0',
  },
  'browser-dark': {
    kind: 'window',
    look: 'browser',
    titleBarPx: 72,
    bar: '#1e293b',
    tab: { color: '#334155', text: '#e2e8f0' },
    address: { color: '#0f172a', text: '#94a3b8', lock: '#4ade80' },
    separator: '#334155',
  },
  iphone: phone(LIGHT),
  'iphone-dark': phone(DARK),
  macbook: laptop(LIGHT),
  'macbook-dark': laptop(DARK),
  ipad: tablet(LIGHT),
  'ipad-dark': tablet(DARK),
} as const satisfies Record<string, ScreenshotFrame>

export type ScreenshotFrameName = keyof typeof SCREENSHOT_FRAMES

/** Frames with a title and adjustable corners. */
export const WINDOW_FRAMES = (Object.keys(SCREENSHOT_FRAMES) as ScreenshotFrameName[]).filter(
  (name) => SCREENSHOT_FRAMES[name].kind === 'window',
)
