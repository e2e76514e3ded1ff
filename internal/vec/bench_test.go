package vec

import "testing"

// benchBytes is the size of one operand: 1024 elements, both operands in the L1 cache.
const benchBytes = 4096

func BenchmarkOps(b *testing.B) {
	dst, src := make([]byte, benchBytes+2), make([]byte, benchBytes+2)
	dst, src = dst[2:], src[2:] // as behind an Ethernet header
	calm, none := make([]byte, benchBytes), make([]byte, benchBytes)
	ints := make([]int32, benchBytes/elem)
	model, step := make([]float32, benchBytes/elem), make([]float32, benchBytes/elem)
	for i := range src {
		src[i] = byte(i * 7)
	}
	for i := range step {
		step[i] = float32(i-500) / 64
	}
	for _, v := range Variants() {
		cases := []struct {
			name string
			call func()
		}{
			{"AddBE", func() { v.AddBE(dst, src) }},
			{"AddSatBE", func() { v.AddSatBE(dst, src) }},
			{"AddSatBE of small values", func() { v.AddSatBE(calm, none) }},
			{"PutBE", func() { v.PutBE(dst, ints) }},
			{"GetBE", func() { v.GetBE(ints, src) }},
			{"Axpy", func() { v.Axpy(model, 0.5, step) }},
			{"Quantise", func() { v.Quantise(ints, step, 1e8) }},
			{"Mean", func() { v.Mean(model, ints, 8e8) }},
			{"MaxMagnitude", func() { v.MaxMagnitude(step) }},
		}
		for _, c := range cases {
			b.Run(c.name+"/"+v.Name, func(b *testing.B) {
				for b.Loop() {
					c.call()
				}
				b.ReportMetric(float64(b.N)*benchBytes/float64(b.Elapsed().Nanoseconds()), "GB/s")
			})
		}
	}
}
