/**
 * A certificate of nobody for this machine and for the hosts of the tools that the examples use, until
 * 2126, which no client accepts unless it is told to, and its key, which opens nothing. Made with
 * `openssl req -x509 -new -subj /CN=localhost -addext subjectAltName=…`, which names the hosts.
 */
export const selfSigned = {
	key: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIFhSLG0LRMFrOkXMq6yyGEK8jzWOjRKZW2c/pt8zUF2ToAoGCCqGSM49
AwEHoUQDQgAEIWHaRkXAg/hiuoDigibR0iXSQTt74LOil9zEKW7MTYxj9OTpxl5K
sD1FYnuKzwMTdmPocbe3Zm/nyBAlNbCU/Q==
-----END EC PRIVATE KEY-----
`,
	cert: `-----BEGIN CERTIFICATE-----
MIICDTCCAbOgAwIBAgIUQ5YztolKhd/F/YOwBHF0Myn8AcIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzExMjUzNloYDzIxMjYxMDMw
MTEyNTM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQhYdpGRcCD+GK6gOKCJtHSJdJBO3vgs6KX3MQpbsxNjGP05OnGXkqw
PUVie4rPAxN2Y+hxt7dmb+fIECU1sJT9o4HgMIHdMB0GA1UdDgQWBBSSF2wOJc8n
un+Fhgt+3AoMQM4tZDAfBgNVHSMEGDAWgBSSF2wOJc8nun+Fhgt+3AoMQM4tZDAP
BgNVHRMBAf8EBTADAQH/MIGJBgNVHREEgYEwf4cEfwAAAYIJbG9jYWxob3N0ghVv
YXV0aDIuZ29vZ2xlYXBpcy5jb22CFXNoZWV0cy5nb29nbGVhcGlzLmNvbYIOYXBp
Lmh1YmFwaS5jb22CCXNsYWNrLmNvbYIPY3JtLmV4YW1wbGUuY29tghJmaW5kZXIu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAMP00IxK0B1A8WRNJU0aX55h
uzvQtYNUsmSzxtXS+kxEAiBwCNKVZfgaS1xHHd1/6mJNxJ7LYGjrn3ylsgmXLb+3
SA==
-----END CERTIFICATE-----
`,
};
