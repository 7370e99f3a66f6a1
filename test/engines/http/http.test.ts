import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { download } from '../../../src/engines/http/http.ts'
import { downloadName } from '../../../src/engines/http/name.ts'

const BODY = Buffer.from('0123456789'.repeat(1000))
let server: Server
let base = ''
let folder = ''
/** Headers of the last request, by path. */
const seen = new Map<string, Record<string, unknown>>()

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!
    seen.set(path, request.headers)
    const hops = /^\/hop\/(\d+)$/.exec(path)
    if (hops)
      response.writeHead(302, { location: hops[1] === '1' ? '/plain.bin' : `/hop/${Number(hops[1]) - 1}` }).end()
    else if (path === '/plain.bin') response.writeHead(200, { 'content-length': BODY.length }).end(BODY)
    else if (path === '/named') {
      // Servers send such names as raw UTF-8.
      const name = Buffer.from('../../été.jpg').toString('latin1')
      response.writeHead(200, { 'content-disposition': `attachment; filename="${name}"` }).end(BODY)
    } else if (path === '/gzip.svg') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BODY))
    else if (path === '/to-private') response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end()
    else if (path === '/to-file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (path === '/cut') {
      response.writeHead(200, { 'content-length': BODY.length })
      response.write(BODY.subarray(0, 100), () => response.destroy())
    } else if (path === '/endless') {
      response.writeHead(200)
      const pump = (): void => {
        while (response.write(Buffer.alloc(65536)));
        response.once('drain', pump)
      }
      pump()
    } else if (path === '/silent') response.writeHead(200).flushHeaders()
    else response.writeHead(404).end('no')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'http-'))
  vi.stubEnv('MEDIAPROC_ALLOW_PRIVATE_HOSTS', '1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

describe('fetching', () => {
  test('streams to disk, with a name from the address', async () => {
    expect(await download(`${base}/plain.bin?x=1`, folder)).toEqual({
      path: join(folder, 'plain.bin'),
      name: 'plain.bin',
      bytes: BODY.length,
    })
    expect(readFileSync(join(folder, 'plain.bin'))).toEqual(BODY)
  })

  test('takes the name from the header, without its folders', async () => {
    const { name } = await download(`${base}/named`, folder)
    expect(name).toBe('été.jpg')
    expect(readdirSync(folder)).toEqual([name])
  })

  test('decompresses the body if the server compresses it anyway', async () => {
    const { path, bytes } = await download(`${base}/gzip.svg`, folder)
    expect(bytes).toBe(BODY.length)
    expect(readFileSync(path)).toEqual(BODY)
  })

  test('follows five redirects, not six', async () => {
    expect((await download(`${base}/hop/5`, folder)).bytes).toBe(BODY.length)
    await expect(download(`${base}/hop/6`, folder)).rejects.toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: expect.stringContaining('more than 5 redirects'),
    })
  })

  test('sends a password in the address, and never shows it', async () => {
    await download(`${base.replace('//', '//me:se%20cret@')}/plain.bin`, folder)
    expect(seen.get('/plain.bin')?.authorization).toBe(`Basic ${Buffer.from('me:se cret').toString('base64')}`)
    const failure = download(`${base.replace('//', '//me:secret@')}/absent?token=abc`, folder)
    await expect(failure).rejects.toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: `${base}/absent answered with the status 404`,
    })
  })

  test('an incomplete body is a failure', async () => {
    await expect(download(`${base}/cut`, folder)).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' })
  })

  test('enforces the size limit by the header and while streaming', async () => {
    vi.stubEnv('MAX_DOWNLOAD_SIZE_MB', '0.005')
    await expect(download(`${base}/plain.bin`, folder)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    await expect(download(`${base}/gzip.svg`, folder)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    await expect(download(`${base}/endless`, folder)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  })

  test('can be stopped', async () => {
    const controller = new AbortController()
    const running = download(`${base}/silent`, folder, { signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
  })
})

describe('the guard', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data/',
  ])('refuses %s', async (address) => {
    vi.stubEnv('MEDIAPROC_ALLOW_PRIVATE_HOSTS', '')
    await expect(download(address, folder)).rejects.toMatchObject({ code: 'URL_REFUSED' })
  })

  test('refuses other schemes, also after a redirect', async () => {
    await expect(download('file:///etc/passwd', folder)).rejects.toMatchObject({ code: 'URL_REFUSED' })
    await expect(download(`${base}/to-file`, folder)).rejects.toMatchObject({ code: 'URL_REFUSED' })
  })

  test('checks every redirect again', async () => {
    // The guard is switched on while the first response is in progress.
    const running = download(`${base}/to-private`, folder)
    vi.stubEnv('MEDIAPROC_ALLOW_PRIVATE_HOSTS', '')
    await expect(running).rejects.toMatchObject({ code: 'URL_REFUSED' })
  })

  test('MEDIAPROC_OFFLINE opens no connection', async () => {
    seen.clear()
    vi.stubEnv('MEDIAPROC_OFFLINE', '1')
    await expect(download(`${base}/plain.bin`, folder)).rejects.toMatchObject({ code: 'OFFLINE' })
    expect(seen.size).toBe(0)
  })
})

describe('names of downloaded files', () => {
  const url = new URL('https://example.org/a/photo%20one.jpg?x=/y.png')
  test.each([
    [undefined, 'photo one.jpg'],
    ['inline', 'photo one.jpg'],
    ['attachment; filename=plain.png', 'plain.png'],
    ['attachment; filename="a \\"b\\".png"', 'a _b_.png'],
    ["attachment; filename=x.png; filename*=UTF-8''%e2%82%ac%20rates.png", '€ rates.png'],
    ['attachment; filename="..\\\\..\\\\evil.exe"', 'evil.exe'],
    ['attachment; filename="/etc/passwd"', 'passwd'],
    ['attachment; filename=".."', 'photo one.jpg'],
    ['attachment; filename="-rf.jpg"', 'rf.jpg'],
    ['attachment; filename=".bashrc"', 'bashrc'],
    ['attachment; filename="a\u0000\u001bb.jpg"', 'a__b.jpg'],
  ])('%s', (header, name) => {
    expect(downloadName(url, header)).toBe(name)
  })

  test('a missing name, and one that is too long', () => {
    expect(downloadName(new URL('https://example.org/'), undefined)).toBe('download')
    const long = downloadName(new URL(`https://example.org/${'ü'.repeat(300)}.jpg`), undefined)
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(200)
    expect(long).toMatch(/^ü+\.jpg$/)
  })
})
