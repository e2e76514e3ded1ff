//go:build !linux

package keeper

import (
	"context"
	"errors"
)

// Run returns an error: this needs Linux.
func Run(context.Context, Config, Control) (Report, error) {
	return Report{}, errors.New("programs in a lab need Linux")
}
