import { beforeAll, expect, test } from 'vitest'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let token: string

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
})

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const svg = (content: string, more = ''): Buffer =>
  Buffer.from(`<svg ${NAMESPACES} width="4" height="4" ${more}>${content}</svg>`)

/** The content types of an upload: from the library and from the workspace. */
async function types(bytes: Buffer): Promise<(string | null)[]> {
  const part = ['file', { name: 'drawing.svg', bytes }] as const
  const kept = (await send(server, '/api/v1/files/upload', [part], token)).json.files[0].id
  const { jobId } = (await send(server, '/api/v1/upload', [part], token)).json
  const paths = [`/api/v1/files/${kept}/download`, `/api/v1/download/${jobId}/drawing.svg`]
  const answers = await Promise.all(paths.map((path) => call(server, 'GET', path, { token })))
  for (const { headers, bytes: same } of answers) {
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    expect(same.equals(bytes)).toBe(true)
  }
  return answers.map(({ headers }) => headers.get('content-type'))
}

test.each([
  ['shapes', svg('<rect width="4" height="4" fill="url(#a)"/><use xlink:href="#b"/>')],
  [
    'a declaration, a comment and a style',
    Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n'),
      svg('<style>.a { fill: url(#b) }</style><text x="1">a &amp; b</text>'),
    ]),
  ],
  ['a picture within', svg('<image href="data:image/png;base64,iVBORw0KGgo=" width="1" height="1"/>')],
])('%s: a drawing', async (_what, bytes) => {
  expect(await types(bytes)).toEqual(['image/svg+xml', 'image/svg+xml'])
})

const SCRIPT = '<script>alert(1)</script>'

test.each([
  ['a script', svg(SCRIPT)],
  ['a script with a prefix', svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>')],
  ['a handler', svg('', 'onload="alert(1)"')],
  ['a handler after a line', svg('<rect\nonclick\n=\n"alert(1)"/>')],
  ['foreign content', svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>')],
  ['a link that runs', svg('<a xlink:href="javascript:alert(1)"><rect/></a>')],
  ['a link that hides', svg('<use xlink:href="&#x6a;avascript:alert(1)"/>')],
  [
    'a link under another prefix',
    svg('<image y:href="https://evil.example/x" xmlns:y="http://www.w3.org/1999/xlink"/>'),
  ],
  ['an animated link', svg('<set attributeName="href" to="javascript:alert(1)"/>')],
  ['an outer picture', svg('<image href="https://evil.example/x.png"/>')],
  ['an outer style', svg('<style>@import "https://evil.example/x.css";</style>')],
  ['an outer colour', svg('<rect fill="url(https://evil.example/x)"/>')],
  ['a style that hides', svg('<rect style="fill: u\\72l(https://evil.example/x)"/>')],
  ['an entity', Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY x "y">]>'), svg('&x;')])],
  ['a style sheet', Buffer.concat([Buffer.from('<?xml-stylesheet href="x.css"?>'), svg('')])],
  ['a section of CDATA', svg(`<style><![CDATA[</style>${SCRIPT}]]></style>`)],
  ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(svg(SCRIPT).toString(), 'utf16le')])],
  ['UTF-7', Buffer.concat([Buffer.from('<?xml version="1.0" encoding="UTF-7"?>'), svg('+ADw-script+AD4-')])],
  ['a drawing within a drawing within', svg(`<!-- --><svg><desc>${SCRIPT}</desc></svg>`)],
])('%s: plain bytes', async (_what, bytes) => {
  expect(await types(bytes)).toEqual(['application/octet-stream', 'application/octet-stream'])
})
