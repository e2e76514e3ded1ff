//go:build !linux

package main

import (
	"errors"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
)

// dialRaw needs packet sockets.
func (*client) dialRaw(*switchmlproto.UdpSessionResponse) (conn, error) {
	return nil, errors.New("--raw: packet sockets are Linux's alone")
}
