package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxOperand;
import org.bitwitness.kernels.ptx.PtxStatement.Instruction;

/** Barriers, shuffles, votes and ends. Branches and calls are the decoder's own. */
final class DecodeWarp {
    private DecodeWarp() {}

    static Optional<Op> decode(Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        String[] parts = i.opcode().split("\\.", -1);
        return switch (i.opcode()) {
            case "bar.sync", "barrier.sync", "barrier.sync.aligned" ->
                o.size() == 1 && o.get(0).equals(new PtxOperand.Int(0))
                        ? Optional.of(new ControlOps.Barrier(i.line()))
                        : Optional.empty();
            case "bar.warp.sync" ->
                o.size() == 1 ? Optional.of(new ControlOps.WarpBarrier(i.line(), n.r(o.get(0), 4))) : Optional.empty();
            case "exit" -> o.isEmpty() ? Optional.of(new ControlOps.Exit(i.line())) : Optional.empty();
            case "trap" -> o.isEmpty() ? Optional.of(new ControlOps.Trap(i.line())) : Optional.empty();
            case "activemask.b32" ->
                o.size() == 1 ? Optional.of(new SmallOps.ActiveMask(i.line(), n.d(o.get(0), 4))) : Optional.empty();
            case "shfl.sync.up.b32", "shfl.sync.down.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32" ->
                o.size() == 5 ? Optional.of(shuffle(parts[2], i, n)) : Optional.empty();
            case "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred", "vote.sync.ballot.b32" ->
                o.size() == 3 ? Optional.of(vote(parts[2], i, n)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Op shuffle(String mode, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        PtxOperand d = o.get(0);
        int predicate = -1;
        if (d instanceof PtxOperand.Pair(PtxOperand value, PtxOperand inRange)) {
            d = value;
            predicate = n.d(inRange, 0);
        }
        return new WarpOps.Shuffle(
                i.line(),
                WarpOps.ShuffleMode.valueOf(mode.toUpperCase(Locale.ROOT)),
                new WarpOps.ShuffleColumns(
                        n.d(d, 4), predicate, n.r(o.get(1), 4), n.r(o.get(2), 4), n.r(o.get(3), 4), n.r(o.get(4), 4)));
    }

    private static Op vote(String mode, Instruction i, Names n) {
        List<PtxOperand> o = i.operands();
        WarpOps.VoteMode kind = WarpOps.VoteMode.valueOf(mode.toUpperCase(Locale.ROOT));
        int d = n.d(o.get(0), kind == WarpOps.VoteMode.BALLOT ? 4 : 0);
        return new WarpOps.Vote(i.line(), kind, d, n.p(o.get(1)), n.r(o.get(2), 4));
    }
}
