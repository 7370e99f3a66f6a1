/** The web console in Debian's Chromium, against a server in this process. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { findChromium } from '../../src/engines/chromium.ts'
import { afterEveryFile } from './clean-up.ts'
import { PASSWORD } from './server.ts'
import { type ServerHere, serveHere } from './server-here.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

let browser: Browser | undefined
afterEveryFile(async () => {
  await browser?.close()
  browser = undefined
})

export interface Console {
  server: ServerHere
  /** A new visitor, with the errors that the page reports. */
  visit(path: string, options?: BrowserContextOptions): Promise<{ page: Page; errors: string[] }>
}

/** For a visitor of this address: previews send small copies to tools at any time, which count as uploads and jobs. */
export function withoutPreviews(origin: string): BrowserContextOptions {
  const localStorage = [{ name: 'mediaproc:live-preview', value: 'off' }]
  return { storageState: { cookies: [], origins: [{ origin, localStorage }] } }
}

/** Whether this machine has the browser. */
export const chromiumPath = await findChromium().then((found) => found?.path)

/** Starts a server, and the browser. @param environment of the server */
export async function openConsole(environment: Record<string, string> = {}): Promise<Console> {
  const server = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '0', LOGIN_ATTEMPT_LIMIT: '0', ...environment } })
  browser ??= await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
  const shown = browser
  return {
    server,
    async visit(path, options = {}) {
      const page = await (await shown.newContext({ reducedMotion: 'reduce', ...options })).newPage()
      const errors: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(String(error)))
      await page.goto(new URL(path, `${server.base}/`).href)
      return { page, errors }
    },
  }
}

/** A task of the page's main thread that computes for longer keeps it from answering, ms. */
const LONG_TASK = 50

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time, μs: a busy machine does not add to it. */
  tdur?: number
  args?: { name?: string }
}

/** Watches the main thread from now on. @returns a function that ends it, and answers with the long tasks in ms */
export async function watchTasks(page: Page): Promise<() => Promise<number[]>> {
  const shown = page.context().browser()!
  await shown.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  return async () => {
    const { traceEvents } = JSON.parse(String(await shown.stopTracing())) as { traceEvents: TraceEvent[] }
    const mainThreads = traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`)
    const tasks = traceEvents.filter(
      ({ name, pid, tid }) => name === 'RunTask' && mainThreads.includes(`${pid} ${tid}`),
    )
    expect(tasks.length).toBeGreaterThan(0)
    return tasks.map(({ tdur = 0 }) => tdur / 1000).filter((duration) => duration > LONG_TASK)
  }
}

/** Fills in the sign-in form. */
export async function signInOn(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.fill('#password [name=username]', username)
  await page.fill('#password [name=password]', password)
  await page.click('#password button')
}

/** Violations of accessibility rules on the page, as `rule: elements`. */
export async function violationsOn(page: Page): Promise<string[]> {
  // The policy of the page refuses added scripts; this one comes from the debugger.
  await page.evaluate(readFileSync(AXE, 'utf8'))
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => JSON.stringify(node.target)).join(' ')}`)
  })
}
