package unit

import (
	"context"
	"math/big"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/reports/claims"
)

// encryptedSums checks that sums of encrypted integers can be decrypted.
func encryptedSums() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.encrypted", Title: "sums under textbook Paillier",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{"switchml.appF.paillier"},
		Quick:  "a tenth of the sums",
		Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			stream := e.Seed.Stream("switchml.encrypted")
			key := newPaillier(stream)
			const workers = 8
			right, sums := true, e.Trials(200)
			for range sums {
				want, product := int64(0), big.NewInt(1)
				for range workers {
					v := int64(int32(stream.Uint64()))
					want += v
					key.multiply(product, key.encrypt(stream, v))
				}
				right = right && key.decrypt(product) == want
			}
			f.Set("switchml.appF.paillier", claims.Bool(right).Noting("%d sums of %d int32 each, modulus of %d bits; the switch multiplies ciphertexts of twice that, it does not add", sums, workers, key.n.BitLen()))
			return f, nil
		},
	}
}

// paillier is a key pair of the additively homomorphic scheme (Paillier,
// EUROCRYPT 1999), with g = n+1. Its keys are far too short to protect anything,
// and drawn from the run's seed.
type paillier struct{ n, square, lambda, mu *big.Int }

// paillierBits is the length of each of the two primes.
const paillierBits = 128

func newPaillier(stream *rng.Stream) paillier {
	one := big.NewInt(1)
	for {
		p, q := prime(stream), prime(stream)
		n := new(big.Int).Mul(p, q)
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		mu := new(big.Int).ModInverse(phi, n)
		if p.Cmp(q) != 0 && mu != nil {
			return paillier{n: n, square: new(big.Int).Mul(n, n), lambda: phi, mu: mu}
		}
	}
}

// prime draws a prime of paillierBits, its two highest bits set.
func prime(stream *rng.Stream) *big.Int {
	for {
		p := number(stream, paillierBits)
		p.SetBit(p, paillierBits-1, 1).SetBit(p, paillierBits-2, 1).SetBit(p, 0, 1)
		if p.ProbablyPrime(20) {
			return p
		}
	}
}

func number(stream *rng.Stream, bits int) *big.Int {
	x := new(big.Int)
	for ; bits > 0; bits -= 64 {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(stream.Uint64()))
	}
	return x
}

// encrypt is (n+1)^v r^n mod n^2, of which the first factor is 1+vn.
func (k paillier) encrypt(stream *rng.Stream, v int64) *big.Int {
	r := new(big.Int).Mod(number(stream, 2*paillierBits), k.n)
	for new(big.Int).GCD(nil, nil, r, k.n).Cmp(big.NewInt(1)) != 0 {
		r.Mod(number(stream, 2*paillierBits), k.n)
	}
	c := new(big.Int).Mod(big.NewInt(v), k.n) // negative values count from n down
	c.Mul(c, k.n).Add(c, big.NewInt(1))
	return k.multiply(c, r.Exp(r, k.n, k.square))
}

// multiply multiplies c by another ciphertext and returns it.
func (k paillier) multiply(c, by *big.Int) *big.Int { return c.Mod(c.Mul(c, by), k.square) }

func (k paillier) decrypt(c *big.Int) int64 {
	x := new(big.Int).Exp(c, k.lambda, k.square)
	x.Sub(x, big.NewInt(1)).Div(x, k.n)
	x.Mod(x.Mul(x, k.mu), k.n)
	if half := new(big.Int).Rsh(k.n, 1); x.Cmp(half) > 0 {
		x.Sub(x, k.n)
	}
	return x.Int64()
}
