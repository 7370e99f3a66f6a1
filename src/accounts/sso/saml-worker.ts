/** Worker thread that checks responses of identity providers: untrusted XML with signatures. */
import { answerRequests } from '../../engines/workers/worker-answers.ts'
import { readSamlResponse, type SamlExpectations, type SamlUser } from './saml-response.ts'

answerRequests<{ response: string; expected: SamlExpectations }, SamlUser>(async ({ response, expected }) => ({
  answer: await readSamlResponse(response, expected),
}))
