import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgram, namesIn, useScene } from '../helpers/program.ts'

const here = useScene()
const environment = { MEDIAPROC_ALLOW_PRIVATE_HOSTS: '1' }
let server: Server
let base = ''

beforeAll(async () => {
  buildProgram()
  server = createServer((request, response) => {
    if (request.url === '/pictures/photo%20one.jpg?size=2') response.end(readFileSync(here.at('a.jpg')))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 180_000)
afterAll(() => void server.close())

test('takes an address as input and writes the output to the current folder', async () => {
  const address = `${base}/pictures/photo%20one.jpg?size=2`
  const { code, stdout } = await here.run(['image', 'resize', address, '--width', '10', '--json'], { environment })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ input: address, outputs: [{ path: 'photo one_resize.jpg' }] })
  expect(await here.widthOf('photo one_resize.jpg')).toBe(10)
  expect(namesIn(here.path)).toEqual(['a.jpg', 'photo one_resize.jpg'])
})

test('an address that does not exist only fails its own job', async () => {
  const { code, stdout, stderr } = await here.run(['image', 'resize', `${base}/x.jpg`, 'a.jpg', '--width', '10'], {
    environment,
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'a_resize.jpg\n' })
  expect(stderr).toContain('answered with the status 404 (DOWNLOAD_FAILED)')
})

test('refuses the same address without permission', async () => {
  const { code, stderr } = await here.run(['image', 'resize', `${base}/x.jpg`, '--width', '10'])
  expect(code).toBe(1)
  expect(stderr).toContain('(URL_REFUSED)')
})
