import { localName, strictParser } from '../../engines/saxes.ts'

/** Facts of a response that the library does not compare, read from the parsed document. */
export interface ResponseFacts {
  /** `Value` of the outer status code. */
  status: string | undefined
  /** Issuer of the response; the issuer of the assertion is the library's. */
  issuer: string | undefined
  issueInstant: string | undefined
}

/**
 * Reads status, issuer and time of a response. Call it after the signature of the whole response was verified.
 * @param xml well-formed, without declarations (see checkedBody)
 * @throws Error when the text is not well-formed
 */
export async function responseFacts(xml: string): Promise<ResponseFacts> {
  const parser = await strictParser()
  const facts: ResponseFacts = { status: undefined, issuer: undefined, issueInstant: undefined }
  const path: string[] = []
  parser.on('opentag', ({ name, attributes }) => {
    path.push(localName(name))
    const at = path.join('/')
    if (at === 'Response') facts.issueInstant = (attributes as Record<string, string>).IssueInstant
    if (at === 'Response/Status/StatusCode') facts.status = (attributes as Record<string, string>).Value
  })
  parser.on('text', (text) => {
    if (path.join('/') === 'Response/Issuer') facts.issuer = `${facts.issuer ?? ''}${text}`
  })
  parser.on('closetag', () => void path.pop())
  parser.write(xml).close()
  return { ...facts, issuer: facts.issuer?.trim() }
}

/** Facts of a logout request, read from the parsed document. */
export interface LogoutFacts {
  id: string | undefined
  issuer: string | undefined
  issueInstant: string | undefined
  destination: string | undefined
  sessionIndexes: string[]
}

/**
 * Reads a logout request. Call it after the signature of the whole request was verified.
 * @param xml well-formed, without declarations (see checkedBody)
 * @throws Error when the text is not well-formed
 */
export async function logoutFacts(xml: string): Promise<LogoutFacts> {
  const parser = await strictParser()
  const path: string[] = []
  let root: Record<string, string> = {}
  let issuer = ''
  const sessionIndexes: string[] = []
  parser.on('opentag', ({ name, attributes }) => {
    if (path.length === 0) root = attributes as Record<string, string>
    path.push(localName(name))
    if (path.join('/') === 'LogoutRequest/SessionIndex') sessionIndexes.push('')
  })
  parser.on('text', (text) => {
    const at = path.join('/')
    if (at === 'LogoutRequest/Issuer') issuer += text
    if (at === 'LogoutRequest/SessionIndex') sessionIndexes.push(`${sessionIndexes.pop() ?? ''}${text}`)
  })
  parser.on('closetag', () => void path.pop())
  parser.write(xml).close()
  return {
    ...{ id: root.ID, issuer: issuer.trim() || undefined, issueInstant: root.IssueInstant },
    ...{ destination: root.Destination, sessionIndexes: sessionIndexes.map((text) => text.trim()) },
  }
}
