// Verifies a webhook in Go. The body comes on standard input, the value of X-HMAC-Signature as the argument.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

func isFromService(body []byte, signature string, apiKey string) bool {
	if apiKey == "" { // Anybody can sign with an empty key.
		return false
	}
	mac := hmac.New(sha256.New, []byte(apiKey))
	mac.Write(body)
	expected := hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || !isFromService(body, os.Args[1], os.Getenv("KYC_RELAY_API_KEY")) {
		os.Exit(1)
	}
}
