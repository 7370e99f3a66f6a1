import type { Browser, BrowserContext, BrowserServer, Page, Route } from 'playwright-core'
import { environmentFlag } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { type Engine, type EngineStatus, engineUnavailable, installCommand } from './engine.ts'
import { fontConfiguration } from './fonts.ts'
import { MAX_REDIRECTS, REDIRECTS } from './http/guard.ts'
import { type GuardedAnswer, type GuardedClient, type GuardedRequest, openGuardedClient } from './http/http.ts'
import { packageFolder, requirePackage } from './library.ts'
import { bindToThisProcess, signalGroup } from './process/group.ts'
import { runProgram } from './process/process.ts'
import { findProgram } from './process/programs.ts'

/** Timeouts for loading the page, then for the network to become idle; milliseconds. */
export const WAIT = { load: 30_000, rest: 5_000 }
/** Maximum height of a full-page image, px. */
const MAX_HEIGHT = 16_384
/** Maximum response size, for one request of a page and for all together, in bytes. */
const MAX_BYTES = { one: 50_000_000, all: 200_000_000 }

/**
 * Chromium opens no connections itself: host names do not resolve, and addresses are routed to a proxy that does not
 * exist. The guarded HTTP client fetches the page's requests and passes the responses to the browser.
 */
const ARGUMENTS = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-gpu',
  '--disable-dev-shm-usage',
]

/** The headless shell first: it draws the same pages without the windows of a browser, in half of the time (bench/README.md). */
const NAMES = [
  ...['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'chromium-browser'],
  ...['google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'],
]

export const findChromium = () => findProgram({ environment: 'MEDIAPROC_CHROMIUM', names: NAMES })

/** Chromium's sandbox is not available to root, and pages contain untrusted code. */
const isRoot = (): boolean => process.getuid?.() === 0

const ROOT_REFUSED = 'Chromium has no sandbox when root runs it'
const ROOT_HINT =
  'Run mediaproc as another user, or set MEDIAPROC_CHROMIUM_SANDBOX=false where the container is the sandbox.'

/** The package that controls the browser. */
const DRIVER = { id: 'playwright', pack: 'playwright', install: installCommand('playwright') }

export const chromium: Engine = {
  id: 'chromium',
  purpose: 'web pages as images, HTML and Markdown as PDF',
  kind: 'program',
  licence: 'BSD-3-Clause and others',
  install: 'apt-get install chromium-headless-shell',
  environment: 'MEDIAPROC_CHROMIUM',
  async probe(): Promise<EngineStatus> {
    const program = await findChromium().catch(() => undefined)
    if (!program) return { available: false }
    const { path, source } = program
    if (packageFolder('playwright-core') === undefined)
      return {
        available: false,
        path,
        source,
        blocked: `The package that drives it is missing. Install it with: ${DRIVER.install}`,
      }
    if (isRoot() && environmentFlag('MEDIAPROC_CHROMIUM_SANDBOX'))
      return { available: false, path, source, blocked: `${ROOT_REFUSED}. ${ROOT_HINT}` }
    const { stdout } = await runProgram(path, ['--version'], { what: 'chromium', timeoutMs: 10_000 }).catch(() => ({
      stdout: '',
    }))
    return { available: true, path, source, version: /[\d.]{5,}/.exec(stdout)?.[0] }
  },
}

export interface PageRequest {
  /** Exactly one of both must be set. */
  url?: string | undefined
  html?: string | undefined
  width: number
  height: number
  mobile: boolean
  fullPage: boolean
  signal: AbortSignal
}

/** Handles a page's requests; follows redirects here, since the browser would follow them without checks. */
class Guard {
  readonly #client: GuardedClient
  readonly #signal: AbortSignal
  /** Responses fetched before the browser requests them. */
  readonly #ready = new Map<string, GuardedAnswer>()
  #bytes = 0

  constructor(client: GuardedClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  async #fetch(url: string, request: Pick<GuardedRequest, 'method' | 'headers' | 'body'>) {
    let at = url
    let { method, body } = request
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const maxBytes = Math.max(1, Math.min(MAX_BYTES.one, MAX_BYTES.all - this.#bytes))
      const { headers } = request
      const answer = await this.#client.send(at, {
        method,
        headers,
        body: body ?? null,
        signal: this.#signal,
        maxBytes,
      })
      this.#bytes += answer.body.length
      const { location } = answer.headers
      if (!REDIRECTS.has(answer.status) || location === undefined) return { at, answer }
      at = new URL(location, at).href
      // RFC 9110, section 15.4: only 307 and 308 keep the method.
      if (answer.status !== 307 && answer.status !== 308 && method !== 'HEAD') [method, body] = ['GET', null]
    }
    throw new MediaprocError('DOWNLOAD_FAILED', `The URL has more than ${MAX_REDIRECTS} redirects`)
  }

  /** Resolves an address to its final location and keeps the response for the browser. @throws MediaprocError */
  async follow(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const { at, answer } = await this.#fetch(url, { method: 'GET', headers })
    this.#ready.set(at, answer)
    return at
  }

  async answer(route: Route): Promise<void> {
    const request = route.request()
    const url = request.url()
    if (/^(data|blob|about):/.test(url)) return route.continue()
    try {
      const ready = this.#ready.get(url)
      this.#ready.delete(url)
      const { answer } = ready
        ? { answer: ready }
        : await this.#fetch(url, {
            method: request.method(),
            headers: await request.allHeaders(),
            body: request.postDataBuffer(),
          })
      await route.fulfill(answer)
    } catch {
      // A refused resource is missing in the image. The page itself can be closed by now.
      await route.abort('blockedbyclient').catch(() => undefined)
    }
  }
}

async function launch(program: string): Promise<{ server: BrowserServer; browser: Browser; close(): Promise<void> }> {
  if (isRoot() && environmentFlag('MEDIAPROC_CHROMIUM_SANDBOX'))
    throw new MediaprocError('ENGINE_UNAVAILABLE', ROOT_REFUSED, { hint: ROOT_HINT, fields: { engine: 'chromium' } })
  const { chromium: library } = requirePackage<typeof import('playwright-core')>('playwright-core')
  const server = await library.launchServer({
    executablePath: program,
    headless: true,
    args: ARGUMENTS,
    chromiumSandbox: !isRoot(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      LANG: 'C.UTF-8',
      FONTCONFIG_FILE: fontConfiguration(),
    },
  })
  const processId = server.process().pid!
  const unbind = bindToThisProcess(processId, true)
  const browser = await library.connect(server.wsEndpoint())
  const close = async (): Promise<void> => {
    await browser.close().catch(() => undefined)
    await server.kill().catch(() => undefined)
    signalGroup(processId, 'SIGKILL')
    unbind()
  }
  return { server, browser, close }
}

async function openContext(browser: Browser, { width, height, mobile }: PageRequest): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width, height },
    isMobile: mobile,
    hasTouch: mobile,
    acceptDownloads: false,
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'UTC',
  })
  await context.routeWebSocket(/.*/, (socket) => socket.close())
  return context
}

/**
 * Whether a page contains no scripts and no embedded pages that could contain scripts: then it does not change after
 * loading, and the half second of waiting for an idle network can be skipped.
 */
const IS_STILL = `document.evaluate(
  'count(//*[local-name() = "script" or local-name() = "iframe" or local-name() = "object"] | //@*[starts-with(name(), "on")])',
  document, null, XPathResult.NUMBER_TYPE).numberValue === 0`

async function load(page: Page, guard: Guard, { url, html }: PageRequest): Promise<void> {
  try {
    if (url === undefined) await page.setContent(html!, { waitUntil: 'load', timeout: WAIT.load })
    else {
      const agent = String(await page.evaluate('navigator.userAgent'))
      const headers = { 'user-agent': agent, accept: 'text/html,*/*;q=0.8', 'accept-language': 'en-US' }
      await page.goto(await guard.follow(url, headers), { waitUntil: 'load', timeout: WAIT.load })
    }
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    if ((error as Error).name === 'TimeoutError')
      throw new MediaprocError('TIMEOUT', `The page was not loaded after ${WAIT.load / 1000} s`, { hint: '' })
    throw new MediaprocError('DOWNLOAD_FAILED', 'The page could not be loaded', {
      detail: (error as Error).message,
      cause: error,
    })
  }
  if (await page.evaluate(IS_STILL)) return
  // Pages whose network never becomes idle are captured as they are.
  await page.waitForLoadState('networkidle', { timeout: WAIT.rest }).catch(() => undefined)
}

async function picture(page: Page, { width, height, fullPage }: PageRequest): Promise<Buffer> {
  const look = { type: 'png' } as const
  if (!fullPage) return page.screenshot(look)
  const tall = await page.evaluate('Math.max(document.documentElement.scrollHeight, document.body?.scrollHeight ?? 0)')
  if (Number(tall) <= MAX_HEIGHT) return page.screenshot({ ...look, fullPage: true })
  return page.screenshot({ ...look, fullPage: true, clip: { x: 0, y: 0, width, height: Math.max(height, MAX_HEIGHT) } })
}

/** A separate browser for one page, which is always closed afterwards. */
export async function inBrowser<T>(
  what: string,
  signal: AbortSignal,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  const program = await findChromium()
  if (!program) throw engineUnavailable(chromium, what)
  if (packageFolder('playwright-core') === undefined) throw engineUnavailable(DRIVER, what)
  let opened: Awaited<ReturnType<typeof launch>> | undefined
  const stop = (): void => void opened?.close()
  try {
    opened = await launch(program.path)
    signal.addEventListener('abort', stop, { once: true })
    signal.throwIfAborted()
    return await work(opened.browser)
  } catch (error) {
    if (signal.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
    throw toMediaprocError(error, 'PROCESSING_FAILED', 'The browser failed')
  } finally {
    signal.removeEventListener('abort', stop)
    await opened?.close()
  }
}

/**
 * Renders a web page to an image, in a separate browser that can reach only public Internet hosts.
 * @throws MediaprocError ENGINE_UNAVAILABLE, URL_REFUSED, DOWNLOAD_FAILED, TIMEOUT, CANCELED, PROCESSING_FAILED
 */
export async function drawPage(request: PageRequest): Promise<Buffer> {
  const client = await openGuardedClient()
  const guard = new Guard(client, request.signal)
  try {
    return await inBrowser('Drawing web pages', request.signal, async (browser) => {
      const context = await openContext(browser, request)
      await context.route('**/*', (route) => guard.answer(route))
      const page = await context.newPage()
      context.on('page', (other) => void other.close())
      await load(page, guard, request)
      return picture(page, request)
    })
  } finally {
    await client.close()
  }
}
