using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>Makes a run again of the frames that it covers, at once, byte for byte as it was when it grew step by step.</summary>
internal static class RunRebuild
{
    /// <summary>Makes the run; false when the frames are not those that it covers: what was written then is no run.</summary>
    /// <param name="header">The run's first page.</param>
    public static bool TryMake(IFile index, RunHeader header, RunOutput output)
    {
        var frames = new FrameReader(index, header.FrameStart);
        var tail = new IndexTail(header.Basis, header.LineStart, header.ChainBefore);
        var last = header.FrameStart;
        while (tail.Head < header.Last)
        {
            last = frames.Offset;
            if (!frames.TryAdd(tail, header.FrameEnd))
                return false;
        }
        var range = new FrameRange(header.FrameStart, last, frames.Offset, header.ChainBefore);
        return RunWriter.Write(new TailSource(tail, range, header.StoreId, header.Length, header.Fan), output, CancellationToken.None) == header;
    }
}
