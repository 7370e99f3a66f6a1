/** Worker thread that checks responses of identity providers: untrusted XML with signatures. */
import { answerRequests } from '../../engines/workers/worker-answers.ts'
import { refuseWeakAlgorithms } from './saml-library.ts'
import { readSamlResponse, type SamlExpectations, type SamlUser } from './saml-response.ts'

refuseWeakAlgorithms()

answerRequests<{ response: string; expected: SamlExpectations }, SamlUser>(async ({ response, expected }) => ({
  answer: await readSamlResponse(response, expected),
}))
