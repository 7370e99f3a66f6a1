/** Codes of Node for a TLS connection that is not possible: protocol, certificate, authority. */
const TLS = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** @param code of an error of a connection */
export const isTlsFailure = (code: unknown): boolean => typeof code === 'string' && TLS.test(code)
