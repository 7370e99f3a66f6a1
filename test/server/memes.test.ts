import sharp from 'sharp'
import { expect, test } from 'vitest'
import { call, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

test('meme templates: the list, pictures, thumbnails and fonts, and a meme with one', async () => {
  const server = await serveHere()
  const token = await signIn(server)
  const { json } = await call(server, 'GET', '/api/v1/meme-templates', { token })
  expect([json.version, json.templates.length >= 18, json.templates[0].path]).toEqual([1, true, undefined])
  const [template] = json.templates
  const full = await call(server, 'GET', `/api/v1/meme-templates/full/${template.filename}`, { token })
  const { width, height } = await sharp(full.bytes).metadata()
  expect([full.status, width, height]).toEqual([200, template.width, template.height])
  expect(full.headers.get('cache-control')).toContain('immutable')
  const thumb = template.filename.replace(/\.\w+$/, '.webp')
  const small = await call(server, 'GET', `/api/v1/meme-templates/thumbs/${thumb}`, { token })
  const about = await sharp(small.bytes).metadata()
  expect([small.headers.get('content-type'), about.format, about.width]).toEqual(['image/webp', 'webp', 200])
  const font = await call(server, 'GET', '/api/v1/meme-templates/fonts/anton-latin-400-normal.ttf', { token })
  expect([font.status, font.headers.get('content-type'), font.bytes.readUInt32BE(0)]).toEqual([
    200,
    'font/ttf',
    0x00010000,
  ])
  for (const path of ['full/none.svg', 'thumbs/none.webp', 'fonts/fonts.conf', 'full/..%2Fmanifest.json'])
    expect((await call(server, 'GET', `/api/v1/meme-templates/${path}`, { token })).status).toBe(404)
  expect((await call(server, 'GET', '/api/v1/meme-templates')).status).toBe(401)
  const body = { templateId: template.id, textBoxes: [{ id: template.textBoxes[0].id, text: 'hello' }] }
  const made = await call(server, 'POST', '/api/v1/tools/image/meme-generator', { token, body })
  expect([made.status, made.json.downloadUrl]).toEqual([200, expect.stringContaining(`meme-${template.id}`)])
  const neither = await send(server, '/api/v1/tools/image/meme-generator', [['settings', '{}']], token)
  expect(neither.status).toBe(400)
  await server.stop()
})
