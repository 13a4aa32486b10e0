namespace Opossum.Storage.Index;

/// <summary>Takes a page of a run.</summary>
/// <param name="offset">Its offset in the run.</param>
internal delegate void RunOutput(ReadOnlySpan<byte> page, long offset);
