import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { chromium } from '../../../src/engines/chromium.ts'
import { findProgram } from '../../../src/engines/process/programs.ts'
import htmlToImage from '../../../tools/image/convert/html-to-image.ts'
import { at, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const { available } = await chromium.probe()

/** Browsers of this machine: the shell is preferred, but has no code of its own for windows and profiles. */
const browsers: string[] = []
for (const name of ['chromium-headless-shell', 'chromium']) {
  const found = await findProgram({ environment: 'MEDIAPROC_CHROMIUM', names: [name] })
  if (available && found?.source === 'path') browsers.push(found.path)
}

/** A site on this machine that records its requests. */
const seen: string[] = []
const site = createServer((request, response) => {
  seen.push(request.url!)
  if (request.url === '/away') return response.writeHead(302, { location: '/page' }).end()
  if (request.url === '/inside') return response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
  if (request.url === '/green.css')
    return response.setHeader('content-type', 'text/css').end('body{background:#00ff00}')
  if (request.url === '/error')
    return response.writeHead(404, { 'content-type': 'text/html' }).end('<body style="background:#ff00ff">')
  response.setHeader('content-type', 'text/html')
  response.end('<link rel="stylesheet" href="/green.css"><body style="margin:0"><div style="height:3000px"></div>')
})
let base = ''

beforeAll(async () => {
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(() => site.close())
afterEach(() => {
  delete process.env.MEDIAPROC_ALLOW_PRIVATE_HOSTS
  vi.unstubAllEnvs()
  seen.length = 0
})

const draw = async (settings: Record<string, unknown>) => (await run(htmlToImage, folder, [], settings)).paths[0]!
const custom = { devicePreset: 'custom', viewportWidth: 400, viewportHeight: 320 }
const RED = '<body style="margin:0;background:#ff0000"></body>'

test('refuses input that is not a page before anything starts', () => {
  for (const settings of [
    {},
    { url: 'https://a.example', html: 'x' },
    { url: 'ftp://a.example' },
    { url: 'file:///etc/passwd' },
    { url: 'x' },
  ])
    expect(() => htmlToImage.check!(settings)).toThrow(expect.objectContaining({ code: 'INVALID_SETTINGS' }))
})

describe.skipIf(!available)('with a browser', () => {
  test.each([
    ['png', 'png'],
    ['jpg', 'jpeg'],
    ['webp', 'webp'],
  ])('HTML as %s', async (format, type) => {
    const path = await draw({ html: RED, format, ...custom })
    const about = await sharp(path).metadata()
    expect([path.endsWith(`screenshot.${format}`), about.format, about.width, about.height]).toEqual([
      true,
      type,
      400,
      320,
    ])
    const [red, green, blue] = at(await readRgba(path), 200, 160) as [number, number, number]
    expect([red > 245, green < 10, blue < 10]).toEqual([true, true, true])
  })

  test.each([
    ['desktop', 1280, 720],
    ['tablet', 768, 1024],
    ['mobile', 375, 812],
  ])('%s', async (devicePreset, width, height) => {
    const about = await sharp(await draw({ html: RED, devicePreset })).metadata()
    expect([about.width, about.height]).toEqual([width, height])
  })

  test('an address with its resources, redirects and the whole page', async () => {
    process.env.MEDIAPROC_ALLOW_PRIVATE_HOSTS = '1'
    const path = await draw({ url: `${base}/away`, fullPage: true, ...custom })
    const about = await sharp(path).metadata()
    expect([about.width, about.height]).toEqual([400, 3000])
    expect(at(await readRgba(path), 10, 2990)).toEqual([0, 255, 0])
    expect(seen.slice(0, 3)).toEqual(['/away', '/page', '/green.css'])
  })

  test('an error page is a page', async () => {
    process.env.MEDIAPROC_ALLOW_PRIVATE_HOSTS = '1'
    expect(at(await readRgba(await draw({ url: `${base}/error`, ...custom })), 5, 5)).toEqual([255, 0, 255])
  })

  test('cuts a page of endless height', async () => {
    const html = '<body style="margin:0"><div style="height:40000px;background:#0000ff"></div>'
    const { height } = await sharp(await draw({ html, fullPage: true, ...custom })).metadata()
    expect(height).toBe(16_384)
  })

  test.each([
    ['http://127.0.0.1:1/'],
    ['http://localhost:1/'],
    ['http://[::1]:1/'],
    ['http://[::ffff:127.0.0.1]:1/'],
    ['http://169.254.169.254/latest/meta-data'],
    ['http://10.0.0.1/'],
    ['http://0x7f000001/'],
    ['http://2130706433/'],
  ])('refuses %s', async (url) => {
    await expect(draw({ url, ...custom })).rejects.toMatchObject({ code: 'URL_REFUSED' })
  })

  test('a script that navigates cannot reach one either', async () => {
    await draw({ html: `<script>location.href = '${base}/gone'</script>`, ...custom }).catch(() => undefined)
    expect(seen).toEqual([])
  })

  test('ends an endless script', async () => {
    const stop = AbortSignal.timeout(4000)
    const work = run(htmlToImage, folder, [], { html: '<script>for (;;) {}</script>', ...custom }, { signal: stop })
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' })
  })
})

describe.each(browsers)('with %s', (program) => {
  test('a page cannot reach a private host in any way', async () => {
    vi.stubEnv('MEDIAPROC_CHROMIUM', program)
    const datagrams: Buffer[] = []
    const socket = createSocket('udp4').on('message', (message) => datagrams.push(message))
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const host = base.slice('http://'.length)
    const html = `<link rel="stylesheet" href="${base}/a.css"><link rel="preconnect" href="${base}"><link rel="prefetch" href="${base}/b">
      <style>@import url(${base}/c.css); body { background: url(${base}/d.png) }</style>
      <img src="${base}/e.png"><iframe src="${base}/f"></iframe><iframe src="file:///etc/passwd"></iframe>
      <object data="${base}/g"></object><video src="${base}/h.mp4"></video><script src="${base}/i.js"></script>
      <form id="form" action="${base}/j" target="frame" method="post"><input name="a"></form><iframe name="frame"></iframe>
      <script>
        fetch('${base}/k', { mode: 'no-cors' }); navigator.sendBeacon('${base}/l', 'x'); new WebSocket('ws://${host}/m')
        new EventSource('${base}/n'); new Worker('data:text/javascript,fetch("${base}/o")'); open('${base}/p'); form.submit()
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${socket.address().port}' }] })
        peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
      </script>`
    const path = await draw({ html, ...custom })
    expect((await sharp(path).metadata()).width).toBe(400)
    socket.close()
    expect([seen, datagrams]).toEqual([[], []])
  })
})

test.skipIf(browsers.length === 0)('a page looks the same with every browser', async () => {
  const html = `<body style="margin:0;font:20px serif"><h1 style="background:linear-gradient(90deg,red,blue)">Grüße, 世界</h1>
    <p style="border-radius:9px;box-shadow:0 2px 6px #000">text</p><progress value=".5"></progress><input type="checkbox" checked>`
  const looks = []
  for (const browser of browsers) {
    vi.stubEnv('MEDIAPROC_CHROMIUM', browser)
    looks.push((await readRgba(await draw({ html, ...custom }))).data)
  }
  for (const look of looks.slice(1)) expect(look.equals(looks[0]!)).toBe(true)
})
