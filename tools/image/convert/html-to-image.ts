import { drawPage } from '../../../src/engines/chromium.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

/** Screen sizes (catalogue), px. */
const DEVICES = {
  desktop: { width: 1280, height: 720, mobile: false },
  tablet: { width: 768, height: 1024, mobile: false },
  mobile: { width: 375, height: 812, mobile: true },
} as const

const CUSTOM = { when: { devicePreset: 'custom' } } as const

export default imageTool({
  id: 'html-to-image',
  summary: 'Take a screenshot of a web page or of HTML text',
  input: { files: 'none', min: 0, max: 0, accept: [] },
  settings: {
    url: text('URL of the page, http or https', { maxLength: 8192, example: 'https://example.com' }),
    html: text('HTML text, instead of a URL', {
      minLength: 1,
      maxLength: 5_000_000,
      example: '<h1>Hello</h1>',
    }),
    format: choice(['png', 'jpg', 'webp'], 'output format', { default: 'png', valueAliases: { jpeg: 'jpg' } }),
    quality: number('100 is best', { default: 90, min: 1, max: 100, when: { format: ['jpg', 'webp'] } }),
    fullPage: boolean('capture the whole page, not only the visible area', { default: false }),
    devicePreset: choice(['desktop', 'tablet', 'mobile', 'custom'], 'screen type', { default: 'desktop' }),
    viewportWidth: number('width of the screen', { ...CUSTOM, default: 1280, min: 320, max: 3840, unit: 'px' }),
    viewportHeight: number('height of the screen', { ...CUSTOM, default: 720, min: 320, max: 2160, unit: 'px' }),
  },
  output: { kind: 'file', type: { setting: 'format' }, name: 'screenshot' },
  engines: ['chromium'],
  network: true,
  deterministic: false,
  heavy: true,
  batch: false,
  body: 'json',
  examples: [
    {
      title: 'HTML text as an image',
      settings: {
        html: '<body style="margin:40px;font:32px sans-serif"><h1>Hello</h1><p>drawn by a browser</p></body>',
        devicePreset: 'custom',
        viewportWidth: 640,
        viewportHeight: 360,
      },
    },
  ],
  check({ url, html }) {
    if ((url === undefined) === (html === undefined)) throw invalidSettings('Give either url or html')
    if (url === undefined) return
    const protocol = URL.canParse(url) ? new URL(url).protocol : ''
    if (protocol !== 'http:' && protocol !== 'https:')
      throw invalidSettings('Expected an http or https address for url')
  },
  async produce(
    _none,
    { url, html, format, quality, fullPage, devicePreset, viewportWidth, viewportHeight },
    { signal, progress },
  ) {
    const screen =
      devicePreset === 'custom'
        ? { width: Math.round(viewportWidth), height: Math.round(viewportHeight), mobile: false }
        : DEVICES[devicePreset]
    progress(0, 'loading')
    const drawn = await drawPage({ ...screen, url, html, fullPage, signal })
    const name = `screenshot.${format}`
    const frame = await ImageFrame.fromPng(drawn, name)
    return { name, frame: frame.withTarget({ format, quality: Math.round(quality) }) }
  },
})
