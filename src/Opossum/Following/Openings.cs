using System.Runtime.CompilerServices;

namespace Opossum.Following;

/// <summary>The openings of a store, one after another: a host opens a faulted store again. Callers ask the present one.</summary>
/// <typeparam name="T">What callers need of an opening.</typeparam>
/// <param name="use">Returns the present opening, which stays open until the action is called.</param>
internal sealed class Openings<T>(Func<(T Opening, Action EndUse)> use)
    where T : class
{
    public T Present
    {
        get
        {
            var (opening, endUse) = use();
            endUse();
            return opening;
        }
    }

    /// <summary>Asks the present opening; if another replaces it before it has answered, that one.</summary>
    public async Task<TAnswer> AskAsync<TAnswer>(Func<T, Task<TAnswer>> ask)
    {
        while (true)
        {
            var (opening, endUse) = use();
            try
            {
                return await ask(opening).ConfigureAwait(false);
            }
            catch (ObjectDisposedException) when (Present != opening)
            {
                // What runs on the replaced opening has stopped.
            }
            finally
            {
                endUse();
            }
        }
    }

    /// <summary>Reads from the present opening, which stays open until the last value is read.</summary>
    public async IAsyncEnumerable<TValue> ReadAsync<TValue>(Func<T, IAsyncEnumerable<TValue>> read,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var (opening, endUse) = use();
        try
        {
            await foreach (var value in read(opening).WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return value;
        }
        finally
        {
            endUse();
        }
    }
}
