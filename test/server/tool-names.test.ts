import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryPath } from '../helpers/av.ts'
import { rawCall } from '../helpers/http.ts'
import { plain } from '../helpers/picture.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let token: string
let png: Buffer

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
  png = await plain(4, 3, '#ff0000').png().toBuffer()
})

/** Sends a picture under a raw name, and returns the name in the address of the result. */
async function resultName(given: string): Promise<string> {
  const parts = [
    ['file', given, png.toString('latin1')],
    ['settings', undefined, '{"format":"png"}'],
  ] as const
  const text = parts.map(([field, name, content]) => {
    const file = name === undefined ? '' : `; filename="${Buffer.from(name).toString('latin1')}"`
    return `--b\r\nContent-Disposition: form-data; name="${field}"${file}\r\n\r\n${content}\r\n`
  })
  const answer = await fetch(`${server.base}/api/v1/tools/image/convert`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.from(`${text.join('')}--b--\r\n`, 'latin1'),
  })
  const json = (await answer.json()) as { jobId: string; downloadUrl: string }
  expect([given, answer.status]).toEqual([given, 200])
  const prefix = `/api/v1/download/${json.jobId}/`
  expect(json.downloadUrl.startsWith(prefix)).toBe(true)
  const download = await rawCall(server, { path: json.downloadUrl, headers: { authorization: `Bearer ${token}` } })
  expect([given, download.status]).toEqual([given, 200])
  const name = decodeURIComponent(json.downloadUrl.slice(prefix.length))
  expect(download.headers['content-disposition']).toMatch(/^attachment; filename="[!-~]+"; filename\*=UTF-8''[!-~]+$/)
  const shown = /filename\*=UTF-8''(.+)$/.exec(download.headers['content-disposition']!)![1]!
  expect(decodeURIComponent(shown)).toBe(name)
  return name
}

describe('the name of an upload', () => {
  test.each([
    ['photo.png', 'photo'],
    ['写真 😀 naïve.png', '写真 😀 naïve'],
    ['A\u0308pfel.png', 'Äpfel'],
    ['../../etc/passwd.png', 'passwd'],
    ['..\\..\\windows\\system.png', 'system'],
    ['/etc/shadow.png', 'shadow'],
    ['C:\\Users\\me\\me.png', 'me'],
    ['a..b...c.png', 'a.b.c'],
    ['scan.jpg.pdf', 'scan.jpg'],
    ['a\u202egnp.exe.png', 'agnp.exe'],
    ['a\u0007b\u009fc.png', 'abc'],
    ["it's (1) * 100% #1? a&b=c;d.png", "it's (1) * 100% #1? a&b=c;d"],
    ['..', 'upload'],
    ['...', 'upload'],
    ['/', 'upload'],
    ['.png', '.png'],
    ['-rf.png', '-rf'],
    ['noextension', 'noextension'],
  ])('%j', async (given, stem) => {
    expect(await resultName(given)).toMatch(
      new RegExp(`^${stem.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(_\\w+)?\\.png$`),
    )
  })

  test('is cut at 200 bytes, between characters, and keeps its extension', async () => {
    for (const letter of ['x', 'ä', '写', '😀']) {
      const name = await resultName(`${letter.repeat(300)}.png`)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(220)
      expect(name).toMatch(new RegExp(`^(?:${letter})+(_\\w+)?\\.png$`, 'u'))
    }
  })

  test('is not part of the address', async () => {
    const { status, json } = await send(
      server,
      '/api/v1/upload',
      [
        ['file', { name: 'a?b#c%2Fd.txt', bytes: Buffer.from('x') }],
        ['file', { name: 'a/b', bytes: Buffer.from('y') }],
      ],
      token,
    )
    expect([status, json.files.map(({ name }: { name: string }) => name)]).toEqual([200, ['a?b#c%2Fd.txt', 'b']])
    const address = `/api/v1/download/${json.jobId}/${encodeURIComponent('a?b#c%2Fd.txt')}`
    expect((await call(server, 'GET', address, { token })).bytes.toString()).toBe('x')
  })
})

test('numbers equal names in one request before the extension', async () => {
  const namesOf = async (...given: string[]) => {
    const parts = given.map((name, index) => ['file', { name, bytes: Buffer.from(String(index)) }] as const)
    const { json } = await send(server, '/api/v1/tools/files/create-zip', parts, token)
    const path = temporaryPath('names.zip')
    writeFileSync(path, (await call(server, 'GET', json.downloadUrl, { token })).bytes)
    const entries = await readZip(path)
    expect(entries.map(({ data }) => data.toString())).toEqual(given.map((_, index) => String(index)))
    return entries.map(({ name }) => name)
  }
  expect(await namesOf('a.txt', 'a.txt', 'A.TXT', 'b', 'b')).toEqual(['a.txt', 'a_1.txt', 'A_2.TXT', 'b', 'b_1'])
  const names = await namesOf('a.txt', 'a.txt', 'a_1.txt')
  expect([names[0], names[2], new Set(names).size]).toEqual(['a.txt', 'a_1.txt', 3])
})
