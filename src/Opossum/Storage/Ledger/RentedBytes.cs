using System.Buffers;

namespace Opossum.Storage.Ledger;

/// <summary>Grows buffers that are rented from the shared pool.</summary>
internal static class RentedBytes
{
    /// <summary>Exchanges a buffer for one that is longer and has the same bytes.</summary>
    /// <param name="rented">The buffer, to be returned to the pool by the caller.</param>
    /// <param name="length">The length that the longer one has at least.</param>
    public static void Grow(ref byte[] rented, int length)
    {
        var longer = ArrayPool<byte>.Shared.Rent(length);
        rented.CopyTo(longer, 0);
        ArrayPool<byte>.Shared.Return(rented);
        rented = longer;
    }
}
