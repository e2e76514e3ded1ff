package experiments
import ("testing";"time";"github.com/inalab/inalab/switchd/program/triomc";"github.com/inalab/inalab/internal/units")
func TestZZ(t *testing.T){
	e := unitEnv(t)
	prog, err := triomc.Compile()
	if err != nil { t.Fatal(err) }
	for _, c := range []units.Duration{20,400,800} {
	for _, l := range []pfeLoad{{64,1,10,100},{64,1,100,1000},{64,1,1000,10000},{1024,1,100,1000},{1024,256,512,1024},{1024,4096,8192,8192}} {
		m := newPFEMachine(e,false); m.timing.Instruction = c*units.Nanosecond
		began := time.Now()
		p, err := measurePFE(e,prog,m,l)
		if err != nil { t.Fatal(err) }
		t.Logf("c=%d %+v all %v adding %v wait %v thr %.2fG  took %v, cpu %v ; inuse %.0f max %d q %d", c, l, p.all, p.adding, p.waiting, p.throughput()/1e9, p.took, time.Since(began), p.snap.InUse.Mean, p.snap.InUse.Max, p.snap.Queue.Max)
	}}
}
