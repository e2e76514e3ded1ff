//go:build !linux

package live

import (
	"context"
	"errors"
)

func (r *prober) exchange(context.Context, *Probed) error {
	return errors.New("probing links on real packets needs Linux")
}
