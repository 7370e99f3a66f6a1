/** Worker thread that checks messages of identity providers: untrusted XML with signatures. */
import { answerRequests } from '../../engines/workers/worker-answers.ts'
import { refuseWeakAlgorithms } from './saml-library.ts'
import { type LogoutRequest, readLogoutRequest } from './saml-logout.ts'
import type { SamlReading } from './saml-readers.ts'
import { readSamlResponse, type SamlUser } from './saml-response.ts'

await refuseWeakAlgorithms()

answerRequests<SamlReading, SamlUser | LogoutRequest>(async (reading) => ({
  answer:
    'response' in reading
      ? await readSamlResponse(reading.response, reading.expected)
      : await readLogoutRequest(reading.logout, reading.expected),
}))
