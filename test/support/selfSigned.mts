/**
 * A certificate of nobody for this machine (`localhost`, `127.0.0.1`) until 2126, which no client accepts
 * unless it is told to, and its key, which opens nothing. Made with
 * `openssl req -x509 -new -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost`.
 */
export const selfSigned = {
	key: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIBGlvyfX/wcVqRp1Nqnxhs/VM82g/pGyv+LSPRsnvta+oAoGCCqGSM49
AwEHoUQDQgAEns0NQEZuCCA3hMen5Jpe+N6kZ0IERp40aQKN5vNygDEGqEYQCbaR
bDWmTDFm1IkMhsjTsRShtg3xo4zeFlsrYA==
-----END EC PRIVATE KEY-----
`,
	cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUbA0v6CGxPsVwNUmkZxd842w37xEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE3MzIwN1oYDzIxMjYxMDI4
MTczMjA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASezQ1ARm4IIDeEx6fkml743qRnQgRGnjRpAo3m83KAMQaoRhAJtpFs
NaZMMWbUiQyGyNOxFKG2DfGjjN4WWytgo28wbTAdBgNVHQ4EFgQU8JE7OtolWb+T
VeUCYppHajU0TjcwHwYDVR0jBBgwFoAU8JE7OtolWb+TVeUCYppHajU0TjcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIhAJuJLI8/qHn41tv2sKAzP9IPMcWKRD/5rhsMPsgBN7gnAiAE
KEPuxoePrEfKRiIPWjlSy4hiLngXtN1GJDfEboYWpg==
-----END CERTIFICATE-----
`,
};
