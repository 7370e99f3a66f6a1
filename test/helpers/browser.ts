/** A browser during sign-in: keeps cookies, follows redirects and sends forms. */

export interface Page {
  status: number
  /** The final page, with the public names of the servers. */
  url: string
  body: string
  headers: Headers
}

interface Visit {
  method?: string
  form?: Record<string, string>
}

export class Browser {
  /** Cookies by the origin that set them. */
  readonly cookies = new Map<string, Map<string, string>>()
  /** Public origins, and their actual addresses. */
  readonly names: Record<string, string>
  /** Every address that it requested. */
  readonly visited: string[] = []

  constructor(names: Record<string, string> = {}) {
    this.names = names
  }

  /** One request, without following redirects. */
  async visit(address: string, { method, form }: Visit = {}): Promise<Page> {
    const url = new URL(address)
    this.visited.push(url.href)
    const real = (this.names[url.origin] ?? url.origin) + url.pathname + url.search
    const jar = this.cookies.get(url.origin) ?? new Map<string, string>()
    const response = await fetch(real, {
      method: method ?? (form ? 'POST' : 'GET'),
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') jar.delete(name!)
      else jar.set(name!, value!)
    }
    this.cookies.set(url.origin, jar)
    return { status: response.status, url: url.href, body: await response.text(), headers: response.headers }
  }

  /** Follows redirects up to the first other response, or to the first address accepted by `isEnd`. */
  async go(address: string, isEnd: (url: string) => boolean = () => false, visit: Visit = {}): Promise<Page> {
    let page = await this.visit(address, visit)
    for (let count = 0; count < 20; count++) {
      const next = page.headers.get('location')
      if (page.status < 300 || page.status >= 400 || next === null) return page
      const url = new URL(next, page.url).href
      if (isEnd(url)) return { ...page, url }
      page = await this.visit(url)
    }
    throw new Error('too many redirects')
  }
}
